// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ros/node_handle.h>

#include "layouts/frames.hpp"
#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

using layouts::Frames;

/// Reads the parameters `world_frame` (default "world") and `frame_prefix` (default: the node's
/// namespace and a slash, nothing in the root namespace).
Frames readFrames(Params& params, const ros::NodeHandle& handle);

}  // namespace marsim::ros_nodes
