#pragma once

#include <Eigen/Geometry>

#include "lidar/cast/cull_kernel.hpp"
#include "lidar/cast/object_motion.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

using scene::BoundingSphere;

/// Holds all that a ray can meet of a shape, in its frame M; of one with surfels.
Eigen::AlignedBox3d boxOf(const map::SurfelMap& shape);
BoundingSphere ballAbout(const Eigen::AlignedBox3d& box);

/// Holds a ball fixed in M wherever the object ever takes it, in W; large, and quickly made.
BoundingSphere roughBall(const MovingObject& object, const BoundingSphere& ball_M);

/// What holds all of an object as it moves for a while.
struct Sweep {
  BoundingSphere ball;  ///< all the time, in W
  /// At every instant, as seen from the object's own frame: B has M's orientation in the middle of
  /// the time. Its centre relative to the origin asked for.
  MovingBox box;
};

/// From `first` to `last` [s]. `origin` [m]: what rays' origins are relative to; `spread` [m]: none
/// is farther from it.
Sweep sweepOf(const ObjectMotion& track, const Eigen::AlignedBox3d& box_M, double first,
              double last, const Eigen::Vector3d& origin, double spread);

}  // namespace marsim::lidar
