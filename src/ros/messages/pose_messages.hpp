// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <geometry_msgs/PoseStamped.h>

namespace marsim::ros_nodes {

/// The poses of a message.
struct MessagePoses {
  bool is_path = false;  ///< they replace all earlier ones
  std::vector<geometry_msgs::PoseStamped> poses;
};

/// Reads a serialised message, identified by its md5: nav_msgs/Odometry, nav_msgs/Path,
/// geometry_msgs/PoseStamped or PoseWithCovarianceStamped. Throws Error naming `type` for any
/// other.
MessagePoses readPoses(const std::string& type, const std::string& md5,
                       std::vector<std::uint8_t> message);

/// Whether all coordinates are finite and no larger than a FaultFinder allows.
bool isUsable(const geometry_msgs::Pose& pose);

}  // namespace marsim::ros_nodes
