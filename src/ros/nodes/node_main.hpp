// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace marsim::ros_nodes {

/// Runs a node of a kind ("quadrotor", "lidar", ...: the programs' names) as a process, by default
/// under that name; returns its exit code (1 after an error at start-up).
int runNode(const std::string& kind, int argc, char** argv);

/// Handles callbacks until Ctrl-C or ROS's end; then the caller destroys its nodes, which say
/// farewell on open topics, and calls sayFarewell().
void spinUntilInterrupt();
/// Gives the last messages time to leave the process.
void sayFarewell();

}  // namespace marsim::ros_nodes
