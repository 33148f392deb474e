// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Geometry>

#include "lidar/cast/cull_kernel.hpp"
#include "lidar/cast/object_motion.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

using scene::BoundingSphere;

/// Box in M of all places where rays can meet a shape that has surfels.
Eigen::AlignedBox3d boxOf(const map::SurfelMap& shape);
BoundingSphere ballAbout(const Eigen::AlignedBox3d& box);

/// A large, quickly computed sphere in W that holds a sphere fixed in M at all times.
BoundingSphere roughBall(const MovingObject& object, const BoundingSphere& ball_M);

/// Bounds of an object that moves for a while.
struct Sweep {
  BoundingSphere ball;  ///< at all times, in W
  /// At every instant, in the object's own frame: B has M's orientation at half time. Its centre is
  /// relative to the given origin.
  MovingBox box;
};

/// Bounds from `first` to `last` [s]. `origin` [m]: of the rays' coordinates; `spread` [m]: largest
/// distance of a ray's origin from it.
Sweep sweepOf(const ObjectMotion& track, const Eigen::AlignedBox3d& box_M, double first,
              double last, const Eigen::Vector3d& origin, double spread);

}  // namespace marsim::lidar
