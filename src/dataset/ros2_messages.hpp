// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "dataset/image_stream.hpp"
#include "marsim/geometry/kinematic_state.hpp"
#include "marsim/vehicle/imu.hpp"

/// Messages of ROS 2 in CDR, as the nodes of ROS 1 publish them.
namespace marsim::dataset {

/// A nav_msgs/Odometry; its twist is in the body frame or in the world's.
std::string odometryMessage(const KinematicState& state, bool twist_in_world,
                            const std::string& frame, const std::string& child);

/// Variances of an IMU's readings for the message; 0: not known.
struct ImuVariances {
  double orientation = 0.0, angular_velocity = 0.0, acceleration = 0.0;
};
/// A sensor_msgs/Imu.
std::string imuMessage(const vehicle::ImuSample& sample, const ImuVariances& variances,
                       bool with_orientation, const std::string& frame);

/// A sensor_msgs/CameraInfo of an image.
std::string cameraInfoMessage(const ImageStream& stream, TimeNs stamp);
/// A sensor_msgs/Image.
std::string imageMessage(const ImageStream& stream, TimeNs stamp, const std::string& pixels);
/// Pixels of depth in whole millimetres (0: nothing measured) or in metres unchanged (REP-118).
std::string depthBytes(const ImageStream& stream, const std::vector<float>& depth);

}  // namespace marsim::dataset
