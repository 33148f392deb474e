// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/lidar/camera_model.hpp"

/// Cameras for tests, one of each kind.
namespace marsim::lidar {

inline CameraModel idealPinhole() {
  CameraModel model;
  model.width = 752;
  model.height = 480;
  model.fx = model.fy = 376.0;
  model.cx = 375.5;
  model.cy = 239.5;
  return model;
}

/// As strong as that of EuRoC's cameras.
inline CameraModel plumbBob() {
  CameraModel model = idealPinhole();
  model.fx = 458.654;
  model.fy = 457.296;
  model.cx = 367.215;
  model.cy = 248.375;
  model.distortion = {-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05, 0.0};
  return model;
}

inline CameraModel fisheye() {
  CameraModel model;
  model.projection = CameraModel::Projection::kFisheye;
  model.fx = 230.0;
  model.fy = 231.0;
  model.cx = 322.0;
  model.cy = 238.5;
  model.distortion = {0.02, -0.01, 0.004, -0.001};
  return model;
}

}  // namespace marsim::lidar
