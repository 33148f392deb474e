// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace marsim::ros_nodes {

/// Whether no node or nodelet of that full name and kind ("quadrotor", ...) runs: the master would
/// end it, and the flight with it. Logs a fatal message if one does, a warning if a registered one
/// does not answer. Call it after ros::init() and before the first node handle, which registers the
/// process's name.
bool isNameFree(const std::string& name, const std::string& kind);

}  // namespace marsim::ros_nodes
