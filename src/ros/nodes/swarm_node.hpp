// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ros/ros.h>

namespace marsim::ros_nodes {

/// Looks at a swarm as a whole before it flies: how many there are, whether their starts keep clear
/// of each other and of the map. Ends with the reason where something is wrong.
///
/// Out: `~starts` (geometry_msgs/PoseArray, latched). Parameters: swarm (a formation of
/// config/swarm or a YAML file), n, vehicle, world_frame, check_start; map (empty: none),
/// resolution and others as every node that uses the map; vegetation, ground_z.
class SwarmNode {
 public:
  SwarmNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  ros::Publisher starts_publisher_;
};

}  // namespace marsim::ros_nodes
