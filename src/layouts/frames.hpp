// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace marsim::layouts {

/// Frame names of one UAV.
struct Frames {
  std::string world;   ///< "world"
  std::string prefix;  ///< "uav0/"

  std::string base() const { return prefix + "base_link"; }
  std::string imu() const { return prefix + "imu_link"; }
  std::string magnetometer() const { return prefix + "magnetometer_link"; }
  std::string lidar() const { return prefix + "lidar"; }
  std::string depth() const { return prefix + "depth_optical_frame"; }
  /// "camera_left_optical_frame"; "camera_optical_frame" for a camera without a name.
  std::string camera(const std::string& name) const {
    return prefix + "camera_" + (name.empty() ? "" : name + "_") + "optical_frame";
  }
};

}  // namespace marsim::layouts
