#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "marsim/collision/neighbours.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::collision {

/// A plane with the ground on one side.
struct Plane {
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();        ///< [m] a point of it
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();  ///< unit, out of the ground

  double heightOf(const Eigen::Vector3d& p) const { return normal_W.dot(p - p_W); }  ///< [m]
};

/// The outermost points of a body, those that can touch a plane: its feet, and of its surface what
/// lies farthest in some hundred directions (of a hull of radius R that is exact within R / 200).
class BodyHull {
 public:
  /// The feet are [m] in B; points of the surface that lie below them are raised to them.
  BodyHull(const map::PointCloud& cloud_B, std::vector<Eigen::Vector3d> feet_B);

  /// Height [m] of the lowest point over a plane, below 0 inside the ground.
  double lowest(const Plane& plane, const Pose& X_WB) const;
  /// Appends the points [m in B] that lie lower than `height` [m] over a plane, of many the
  /// outermost ones, and before them, where they are several, their middle.
  void appendBelow(const Plane& plane, const Pose& X_WB, double height,
                   std::vector<Eigen::Vector3d>& points_B) const;

  const std::vector<Eigen::Vector3d>& feet() const { return feet_; }      ///< [m] in B
  const std::vector<Eigen::Vector3d>& points() const { return points_; }  ///< [m] in B, feet first
  double radius() const { return radius_; }  ///< [m] of the sphere about B's origin that holds all

 private:
  std::vector<Eigen::Vector3d> feet_, points_;
  double radius_ = 0.0;
};

/// The surface of a map that would carry a body standing on it upright: under each of its feet and
/// between them the uppermost points lie on one plane, planar, no steeper than `steepest` [rad],
/// and nothing stands out of it. Searched as far below and above the body's lowest point as such a
/// slope may reach. None where there is no such surface.
std::optional<Plane> carryingSurface(const Neighbours& map, const BodyHull& body, const Pose& X_WB,
                                     double steepest);

}  // namespace marsim::collision
