#pragma once

#include <Eigen/Geometry>

#include "marsim/lidar/renderer.hpp"
#include "pose_track.hpp"

namespace marsim::lidar {

struct Ball {
  Eigen::Vector3d centre;  ///< [m]
  double radius;           ///< [m]
};

/// Holds all that a ray can meet of a shape, in its frame M; of one with surfels.
Eigen::AlignedBox3d boxOf(const map::SurfelMap& shape);
Ball ballAbout(const Eigen::AlignedBox3d& box);

/// Holds a ball fixed in M wherever the thing takes it, from `first` to `last` [s], in W.
Ball sweptBall(const PoseTrack& track, const Ball& ball_M, double first, double last);
/// Holds it wherever the thing ever takes it; quicker and larger.
Ball roughBall(const MovingThing& thing, const Ball& ball_M);

/// Rays that go together: from within `spread` of `origin`, within an angle of `axis`.
struct RayBundle {
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Vector3f axis = Eigen::Vector3f::UnitX();
  float spread = 0.0F;               ///< [m]
  float cosine = 1.0F, sine = 0.0F;  ///< of the angle; a cosine of 0 or less: any direction
  float reach = 0.0F;                ///< [m] none goes farther

  /// Whether a ray of them may meet the ball; never denies one that does.
  bool mayMeet(const Ball& ball) const;
};

/// A box that goes straight and does not turn, and holds all of a thing as seen from its own frame
/// while that does: B, the frame at the box's centre, has M's orientation in the middle of the
/// time.
struct StraightBox {
  double middle;           ///< [s]
  Eigen::Vector3d centre;  ///< [m] in W, in the middle
  Eigen::Vector3f speed;   ///< [m/s] in W
  Eigen::Matrix3f R_BW;
  Eigen::Vector3f half;  ///< [m] half the sides
};

/// For the time from `first` to `last` [s].
StraightBox straightBox(const PoseTrack& track, const Eigen::AlignedBox3d& box_M, double first,
                        double last);

}  // namespace marsim::lidar
