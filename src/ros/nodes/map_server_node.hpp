// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ros/ros.h>

namespace marsim::ros_nodes {

/// Loads a map and publishes, latched, `map` (sensor_msgs/PointCloud2, thinned for display) and
/// `map_info` (marsim/MapInfo).
/// Parameters: map (name or file), resolution [m], display_resolution [m] (the larger of the
/// resolution and 0.1), world_frame.
class MapServerNode {
 public:
  MapServerNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  ros::Publisher map_publisher_, info_publisher_;
};

}  // namespace marsim::ros_nodes
