#pragma once

#include <Eigen/Geometry>

#include "lidar/cast/cull_kernel.hpp"
#include "lidar/measure/pose_track.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

struct Ball {
  Eigen::Vector3d centre;  ///< [m]
  double radius;           ///< [m]
};

/// Box in M of all places where rays can meet a shape that has surfels.
Eigen::AlignedBox3d boxOf(const map::SurfelMap& shape);
Ball ballAbout(const Eigen::AlignedBox3d& box);

/// A large, quickly computed sphere in W that holds a sphere fixed in M at all times.
Ball roughBall(const MovingObject& object, const Ball& ball_M);

/// Bounds of an object that moves for a while.
struct Sweep {
  Ball ball;  ///< at all times, in W
  /// At every instant, in the object's own frame: B has M's orientation at half time. Its centre is
  /// relative to the given origin.
  MovingBox box;
};

/// Bounds from `first` to `last` [s]. `origin` [m]: of the rays' coordinates; `spread` [m]: largest
/// distance of a ray's origin from it.
Sweep sweepOf(const PoseTrack& track, const Eigen::AlignedBox3d& box_M, double first, double last,
              const Eigen::Vector3d& origin, double spread);

}  // namespace marsim::lidar
