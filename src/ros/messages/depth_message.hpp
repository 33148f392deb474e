// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <sensor_msgs/CameraInfo.h>
#include <sensor_msgs/Image.h>

#include "marsim/lidar/depth_camera.hpp"

namespace marsim::ros_nodes {

/// The image in the camera's encoding: 16UC1 in whole mm, 0 if nothing was measured; 32FC1 in m,
/// -inf too near, +inf nothing (REP-117, REP-118). Stamped with the image's instant.
sensor_msgs::Image depthMessage(const lidar::DepthImage& image,
                                const lidar::DepthCameraConfig& config, const std::string& frame);

/// An ideal camera: K and P from the intrinsics, plumb_bob without distortion.
sensor_msgs::CameraInfo cameraInfo(const lidar::DepthCameraConfig& config, TimeNs stamp,
                                   const std::string& frame);

}  // namespace marsim::ros_nodes
