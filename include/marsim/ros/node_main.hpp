#pragma once

#include <memory>

#include <nodelet/nodelet.h>
#include <ros/ros.h>

#include "marsim/common/error.hpp"

namespace marsim::ros_nodes {

/// Runs a node class as a process; returns its exit code (1 after an error at start-up).
template <class Node>
int runNode(int argc, char** argv, const char* default_name) {
  ros::init(argc, argv, default_name);
  // The last handle to go shuts the log down; this one keeps it open for what is caught below.
  const ros::NodeHandle handle;
  try {
    Node node(handle, ros::NodeHandle{"~"});
    ros::spin();
    return 0;
  } catch (const Error& error) {
    ROS_FATAL("%s", error.what());
    return 1;
  }
}

/// The same class as a nodelet. An error at start-up is logged and makes the load fail.
template <class Node>
class NodeletOf : public nodelet::Nodelet {
 private:
  void onInit() override {
    try {
      node_ = std::make_unique<Node>(getNodeHandle(), getPrivateNodeHandle());
    } catch (const Error& error) {
      NODELET_FATAL("%s", error.what());
      throw;
    }
  }
  std::unique_ptr<Node> node_;
};

}  // namespace marsim::ros_nodes
