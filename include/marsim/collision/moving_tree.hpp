// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/collision/body_voxels.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "marsim/scene/moving_object.hpp"

namespace marsim::collision {

/// A KD-tree (nanoflann) of the moving objects' points near a place at an instant, rebuilt when the
/// objects have moved. Each shape's surfels are decoded once.
class MovingTree {
 public:
  struct Point {
    std::uint32_t identity = 0;
    std::uint32_t surfel = 0;  ///< number in the object's shape
    bool planar = false;
    Eigen::Vector3d p_W = Eigen::Vector3d::Zero();       ///< [m]
    Eigen::Vector3d normal_W = Eigen::Vector3d::Zero();  ///< unit
    Eigen::Vector3d v_W = Eigen::Vector3d::Zero();       ///< [m/s]
  };

  /// `spacing` [m] of the points on a disc; infinite: positions alone.
  explicit MovingTree(double spacing = std::numeric_limits<double>::infinity())
      : spacing_(static_cast<float>(spacing)) {}

  /// Takes the objects that exist at `time` [s], in their own time (see MovingObject), at their
  /// poses then; `v_W` of their points follows from their poses shortly before.
  void setObjects(std::vector<scene::MovingObject> objects, double time);

  /// Distance [m] from a place to the nearest object's bounding sphere, 0 inside; infinite without
  /// objects.
  double gap(const Eigen::Vector3d& p_W) const;

  /// Least distance [m] from the objects' points to a body at a pose, with the nearest point's
  /// identity and place [m]; `limit` [m] where no point is nearer.
  double distanceTo(const BodyVoxels& body, const Pose& X_WB, double limit, std::uint32_t& identity,
                    Eigen::Vector3d& p_W) const;

  /// Puts all points in a box of a body at a pose into the tree.
  void rebuild(const Pose& X_WB, const Eigen::AlignedBox3d& box_B);
  std::size_t size() const { return points_.size(); }
  /// Appends the tree's points within `radius` [m] of a place.
  void within(const Eigen::Vector3d& p_W, double radius, std::vector<Point>& found) const;

 private:
  struct Shape {
    std::shared_ptr<const map::SurfelMap> map;
    std::vector<map::Surfel> surfels;  // positions in M
    std::vector<float> radii;          // [m] of the discs; 0: not planar
    double radius = 0.0;               // [m] of the bounding sphere about M's origin
  };
  struct Placed {
    const Shape* shape;
    std::uint32_t identity;
    Pose X_WM;
    Pose X_WM_before;
    double seconds;  // between the two; 0: at rest
  };
  const Shape& shapeOf(const std::shared_ptr<const map::SurfelMap>& map);

  float spacing_;
  std::map<const map::SurfelMap*, std::unique_ptr<Shape>> shapes_;
  std::vector<Placed> objects_;
  Eigen::Vector3d centre_ = Eigen::Vector3d::Zero();  // origin of the tree's coordinates
  std::vector<Point> points_;
  KdTree tree_{{}};
};

}  // namespace marsim::collision
