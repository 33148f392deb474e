#pragma once

#include <Eigen/Core>

#include "marsim/geometry/pose.hpp"

namespace marsim::dataset {

/// The axes that a data set is written in. Those of cameras, optical, are the same in both.
enum class Axes {
  kEnu,  ///< "enu": world east, north, up; body, IMU and LiDAR forward, left, up
  kNed,  ///< "ned": world north, east, down; body, IMU and LiDAR forward, right, down
};

/// A vector in W, given in ENU.
Eigen::Vector3d inWorld(Axes axes, const Eigen::Vector3d& v_W);
/// A vector in the body, the IMU or a LiDAR, given in FLU.
Eigen::Vector3d inSensor(Axes axes, const Eigen::Vector3d& v_S);
/// The pose in the world of body, IMU or LiDAR; its quaternion's w is not negative.
Pose sensorInWorld(Axes axes, const Pose& X_WS);
/// The pose of one of body, IMU and LiDAR in another.
Pose sensorInSensor(Axes axes, const Pose& X_AB);
/// The same of a camera's optical frame.
Pose cameraInWorld(Axes axes, const Pose& X_WC);
Pose cameraInSensor(Axes axes, const Pose& X_BC);

}  // namespace marsim::dataset
