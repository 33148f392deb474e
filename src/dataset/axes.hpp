// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include "marsim/geometry/pose.hpp"

namespace marsim::dataset {

/// The axes of a data set. Cameras have optical axes in both.
enum class Axes {
  kEnu,  ///< "enu": world east, north, up; body, IMU and LiDAR forward, left, up
  kNed,  ///< "ned": world north, east, down; body, IMU and LiDAR forward, right, down
};

/// A vector in W, from ENU axes.
Eigen::Vector3d inWorld(Axes axes, const Eigen::Vector3d& v_W);
/// A vector in the body, the IMU or a LiDAR, from FLU axes.
Eigen::Vector3d inSensor(Axes axes, const Eigen::Vector3d& v_S);
/// The pose of body, IMU or LiDAR in the world; its quaternion has w >= 0.
Pose sensorInWorld(Axes axes, const Pose& X_WS);
/// The pose of body, IMU or LiDAR in another of these.
Pose sensorInSensor(Axes axes, const Pose& X_AB);
/// The pose of a camera's optical frame in the world.
Pose cameraInWorld(Axes axes, const Pose& X_WC);
Pose cameraInSensor(Axes axes, const Pose& X_BC);

}  // namespace marsim::dataset
