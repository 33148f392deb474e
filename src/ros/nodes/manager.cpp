// SPDX-License-Identifier: BSD-3-Clause
// A nodelet manager that itself loads the list in its parameter `nodelets`: a `nodelet load` for
// each would be a process that receives /clock and keeps a bond with every other one.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <nodelet/loader.h>
#include <ros/ros.h>

#include "ros/common/clock_grants.hpp"
#include "ros/common/free_name.hpp"
#include "ros/nodes/node_main.hpp"

namespace {

using marsim::ros_nodes::isNameFree;

const char* const kClock = "marsim/sim_clock";

using NamesAndTypes = std::vector<std::pair<std::string, std::string>>;

/// Appends the entries of nested maps, each with its full name.
void append(XmlRpc::XmlRpcValue& value, const std::string& name, NamesAndTypes& nodelets) {
  if (value.getType() == XmlRpc::XmlRpcValue::TypeString) {
    nodelets.emplace_back(name, static_cast<std::string>(value));
  } else if (value.getType() == XmlRpc::XmlRpcValue::TypeStruct) {
    for (auto& [key, inner] : value) append(inner, ros::names::append(name, key), nodelets);
  } else {
    ROS_WARN("nodelets: %s is no type of a nodelet, allowed: text like marsim/lidar", name.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  // As in runNode(): ROS's handler would not end a nodelet that reads its map.
  ros::init(argc, argv, "manager", ros::init_options::NoSigintHandler);
  std::signal(SIGINT, SIG_DFL);
  if (!isNameFree(ros::this_node::getName(), "manager")) return EXIT_FAILURE;
  const ros::NodeHandle private_handle("~");
  if (private_handle.param<std::string>("on_crash", "end") == "respawn") {
    ROS_FATAL(
        "%s: on_crash is 'respawn', which needs a process for each node: allowed with "
        "nodelets:=false",
        ros::this_node::getName().c_str());
    return EXIT_FAILURE;
  }
  NamesAndTypes nodelets;
  if (XmlRpc::XmlRpcValue listed; private_handle.getParam("nodelets", listed)) {
    append(listed, ros::this_node::getNamespace(), nodelets);
  }
  for (const auto& [name, type] : nodelets) {
    if (!isNameFree(name, type.substr(type.find('/') + 1))) return EXIT_FAILURE;
  }
  // The clock is last, so that all others begin together.
  std::stable_partition(nodelets.begin(), nodelets.end(),
                        [](const auto& entry) { return entry.second != kClock; });
  nodelet::Loader loader(private_handle);
  for (const auto& [name, type] : nodelets) {
    if (!ros::ok()) return EXIT_SUCCESS;
    if (loader.load(name, type, ros::names::getUnresolvedRemappings(), {})) continue;
    ROS_FATAL("%s: could not be started as %s", name.c_str(), type.c_str());
    return EXIT_FAILURE;
  }
  marsim::ros_nodes::spinUntilInterrupt();
  // A clock that ends too would step on without its holders for a moment.
  const bool has_clock = !nodelets.empty() && nodelets.back().second == kClock;
  if (!has_clock) marsim::ros_nodes::ClockGrants::leaveAll();
  ros::shutdown();
  return EXIT_SUCCESS;
}
