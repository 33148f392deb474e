// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/depth_message.hpp"

#include <cmath>
#include <cstring>

#include <sensor_msgs/distortion_models.h>
#include <sensor_msgs/image_encodings.h>

#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {

sensor_msgs::Image depthMessage(const lidar::DepthImage& image,
                                const lidar::DepthCameraConfig& config, const std::string& frame) {
  const bool millimetres = config.encoding == lidar::DepthEncoding::kMillimetres;
  sensor_msgs::Image message;
  message.header = toHeader(image.stamp, frame);
  message.width = static_cast<std::uint32_t>(config.width);
  message.height = static_cast<std::uint32_t>(config.height);
  message.encoding = millimetres ? sensor_msgs::image_encodings::TYPE_16UC1
                                 : sensor_msgs::image_encodings::TYPE_32FC1;
  message.is_bigendian = 0;
  const std::size_t pixel = millimetres ? sizeof(std::uint16_t) : sizeof(float);
  message.step = static_cast<std::uint32_t>(pixel * message.width);
  message.data.resize(pixel * image.depth.size());
  if (!millimetres) {
    std::memcpy(message.data.data(), image.depth.data(), message.data.size());
    return message;
  }
  for (std::size_t i = 0; i < image.depth.size(); ++i) {
    const float depth = image.depth[i];
    const auto mm = static_cast<std::uint16_t>(
        std::isfinite(depth) ? std::lround(1e3 * static_cast<double>(depth)) : 0);
    std::memcpy(&message.data[pixel * i], &mm, sizeof(mm));
  }
  return message;
}

sensor_msgs::CameraInfo cameraInfo(const lidar::DepthCameraConfig& config, TimeNs stamp,
                                   const std::string& frame) {
  sensor_msgs::CameraInfo message;
  message.header = toHeader(stamp, frame);
  message.width = static_cast<std::uint32_t>(config.width);
  message.height = static_cast<std::uint32_t>(config.height);
  message.distortion_model = sensor_msgs::distortion_models::PLUMB_BOB;
  message.D.assign(5, 0.0);
  message.K = {config.fx, 0.0, config.cx, 0.0, config.fy, config.cy, 0.0, 0.0, 1.0};
  message.R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  message.P = {config.fx, 0.0, config.cx, 0.0, 0.0, config.fy, config.cy, 0.0, 0.0, 0.0, 1.0, 0.0};
  return message;
}

}  // namespace marsim::ros_nodes
