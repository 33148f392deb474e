// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/frames.hpp"

namespace marsim::ros_nodes {

Frames readFrames(Params& params, const ros::NodeHandle& handle) {
  // "/uav0" -> "uav0/", "/" -> "".
  std::string prefix = handle.getNamespace();
  prefix.erase(0, prefix.find_first_not_of('/'));
  if (!prefix.empty() && prefix.back() != '/') prefix += '/';

  Frames frames;
  frames.world = params.text("world_frame", "world");
  frames.prefix = params.text("frame_prefix", prefix);
  return frames;
}

}  // namespace marsim::ros_nodes
