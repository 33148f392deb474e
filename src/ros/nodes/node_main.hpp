// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace marsim::ros_nodes {

/// Runs a node of a kind ("quadrotor", "lidar", ...: the programs' names) as a process, by default
/// under that name; returns its exit code (1 after an error at start-up).
int runNode(const std::string& kind, int argc, char** argv);

/// Handles callbacks until Ctrl-C, which leaves ROS open for last messages, or until ROS ends.
void spinUntilInterrupt();

}  // namespace marsim::ros_nodes
