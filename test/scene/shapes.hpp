// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <variant>
#include <vector>

#include <Eigen/Core>

/// Shapes whose ranges along a ray and distances from a point are closed forms, in double
/// precision; all lengths in m, in one frame.
namespace marsim::scene {

/// A rectangle: corner + u a + v b with u, v in [0, 1]; the sides a and b stand at a right angle.
struct Rectangle {
  Eigen::Vector3d corner, a, b;
};

/// A solid box: centre + axes * x with |x_i| <= half_i.
struct Box {
  Eigen::Vector3d centre;
  Eigen::Matrix3d axes;  ///< columns orthonormal
  Eigen::Vector3d half;
};

/// A solid cylinder with flat ends.
struct Cylinder {
  Eigen::Vector3d from, to;  ///< ends of the axis
  double radius;
};

/// A sphere.
struct Sphere {
  Eigen::Vector3d centre;
  double radius;
};

/// A flat disc.
struct Disc {
  Eigen::Vector3d centre, normal;  ///< normal of unit length
  double radius;
};

/// Discs inside a ball.
struct Foliage {
  Sphere ball;
  std::vector<Disc> leaves;
};

using Shape = std::variant<Rectangle, Box, Cylinder, Sphere, Foliage>;

constexpr double kNoRange = std::numeric_limits<double>::infinity();

/// The least positive range at which a ray from `origin` along the unit vector `direction` meets
/// the surface; kNoRange where it does not. From inside a solid that is where it leaves.
double rangeTo(const Shape& shape, const Eigen::Vector3d& origin, const Eigen::Vector3d& direction);

/// Distance from a point to the surface; 0 inside a solid.
double distanceTo(const Shape& shape, const Eigen::Vector3d& point);

/// The distance of a ray from a cylinder's axis, at most `range_max` [m] from its origin.
struct Approach {
  double distance;  ///< between the two
  double range;     ///< along the ray
};
Approach approachOf(const Cylinder& cylinder, const Eigen::Vector3d& origin,
                    const Eigen::Vector3d& direction, double range_max);

}  // namespace marsim::scene
