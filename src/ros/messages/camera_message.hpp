#pragma once

#include <string>

#include <sensor_msgs/CameraInfo.h>
#include <sensor_msgs/Image.h>

#include "marsim/lidar/camera.hpp"

namespace marsim::ros_nodes {

/// The image in the camera's encoding, stamped with its instant.
sensor_msgs::Image imageMessage(const lidar::CameraImage& image, const lidar::CameraConfig& config,
                                const std::string& frame);

/// The intrinsics of a rig's camera, without stamp and frame: plumb_bob or equidistant. R is the
/// identity and P is K, with -fx B where the camera stands B to the right of the first one and
/// looks the same way, as stereo_image_proc reads it.
sensor_msgs::CameraInfo cameraInfo(const lidar::CameraRigConfig& rig, std::size_t camera);

}  // namespace marsim::ros_nodes
