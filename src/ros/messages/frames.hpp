#pragma once

#include <string>

#include <ros/node_handle.h>

#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

/// Frame names of one UAV.
struct Frames {
  std::string world;   ///< "world"
  std::string prefix;  ///< "uav0/"

  std::string base() const { return prefix + "base_link"; }
  std::string imu() const { return prefix + "imu_link"; }
  std::string magnetometer() const { return prefix + "magnetometer_link"; }
  std::string lidar() const { return prefix + "lidar"; }
  std::string depth() const { return prefix + "depth_optical_frame"; }
  /// "camera_left_optical_frame"; "camera_optical_frame" of one without a name.
  std::string camera(const std::string& name) const {
    return prefix + "camera_" + (name.empty() ? "" : name + "_") + "optical_frame";
  }

  /// From the parameters `world_frame` (default "world") and `frame_prefix` (default: the node's
  /// namespace and a slash, nothing in the root namespace).
  static Frames read(Params& params, const ros::NodeHandle& handle);
};

}  // namespace marsim::ros_nodes
