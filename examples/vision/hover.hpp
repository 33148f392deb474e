// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <Eigen/Core>

namespace vision {

/// Result of a hover on visual odometry.
struct Hover {
  Eigen::Vector3d largest = Eigen::Vector3d::Zero();      ///< [m] errors of the place, by axis
  Eigen::Vector3d of_odometry = Eigen::Vector3d::Zero();  ///< [m] of the poses, by axis
  std::size_t images = 0, lost = 0;
  bool on_estimates = false;  ///< whether it flew on the odometry until the end
};

/// Hovers in the room with the controller on visual odometry and IMU alone (Zhong 2023, section
/// 5.3.2). `camera`: "d435i" (RGB-D) or "stereo".
Hover hover(const std::string& camera, double seconds);

}  // namespace vision
