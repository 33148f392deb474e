// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <opencv2/imgproc.hpp>

#include "marsim/marsim.hpp"
#include "moving_points.hpp"

namespace vision {

inline Pinhole pinholeOf(const marsim::lidar::CameraModel& model) {
  return {model.fx, model.fy, model.cx, model.cy};
}

inline Eigen::Isometry3d isometryOf(const marsim::Pose& X) {
  return Eigen::Translation3d(X.p) * X.q;
}

/// The brightness of a camera's image.
inline cv::Mat greyOf(const marsim::lidar::Camera& camera,
                      const marsim::lidar::CameraImage& image) {
  const int width = camera.config().model.width, height = camera.config().model.height;
  auto* pixels = const_cast<std::uint8_t*>(image.pixels.data());  // cv::Mat has no other view
  if (camera.config().encoding == marsim::lidar::ImageEncoding::kMono8)
    return cv::Mat(height, width, CV_8UC1, pixels).clone();
  cv::Mat grey;
  cv::cvtColor(cv::Mat(height, width, CV_8UC3, pixels), grey, cv::COLOR_RGB2GRAY);
  return grey;
}

/// The aligned depth [m] of an RGB-D camera's image.
inline cv::Mat depthOf(const marsim::lidar::Camera& camera,
                       const marsim::lidar::CameraImage& image) {
  std::vector<float> depth = camera.alignedDepth(image).depth;
  const auto& model = camera.config().model;
  return cv::Mat(model.height, model.width, CV_32FC1, depth.data()).clone();
}

}  // namespace vision
