// SPDX-License-Identifier: BSD-3-Clause
// Each class of nodes as a process and as a nodelet. They share one file, since compiling their
// headers together takes hardly longer than those of one.
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <nodelet/nodelet.h>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <pluginlib/class_list_macros.hpp>

#include "marsim/common/error.hpp"
#include "node_list.hpp"
#include "ros/common/clock_grants.hpp"
#include "ros/common/free_name.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/nodes/node_main.hpp"
#include "ros/nodes/serial_queue.hpp"

namespace marsim {
namespace ros_nodes {
namespace {

using MakeNode =
    std::function<std::shared_ptr<void>(const ros::NodeHandle&, const ros::NodeHandle&)>;

template <class Node>
std::shared_ptr<void> make(const ros::NodeHandle& handle, const ros::NodeHandle& private_handle) {
  return std::make_shared<Node>(handle, private_handle);
}

const std::map<std::string, MakeNode>& kinds() {
#define MARSIM_KIND(name, Name) {#name, make<Name##Node>},
  static const std::map<std::string, MakeNode> all{MARSIM_FOR_EACH_NODE(MARSIM_KIND)};
#undef MARSIM_KIND
  return all;
}

// An error at start-up is logged and makes the load fail.
template <class Node>
class NodeletOf : public nodelet::Nodelet {
 public:
  ~NodeletOf() override { queue_->stop(); }

 private:
  void onInit() override {
    try {
      epoch();  // reports a wrong one here, not at the first message
      ros::NodeHandle handle = getNodeHandle(), private_handle = getPrivateNodeHandle();
      handle.setCallbackQueue(queue_.get());
      private_handle.setCallbackQueue(queue_.get());
      node_ = std::make_unique<Node>(handle, private_handle);
    } catch (const Error& error) {
      NODELET_FATAL("%s", error.what());
      throw;
    }
  }
  std::shared_ptr<SerialQueue> queue_ = std::make_shared<SerialQueue>();
  std::unique_ptr<Node> node_;
};

}  // namespace

void spinUntilInterrupt() {
  static volatile std::sig_atomic_t is_interrupted = 0;
  std::signal(SIGINT, [](int) { is_interrupted = 1; });
  while (ros::ok() && is_interrupted == 0) {
    ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(0.1));
  }
}

// ROS's own handler only sets a flag, which a node that is still reading its map does not see:
// until then Ctrl-C ends the process like any other.
int runNode(const std::string& kind, int argc, char** argv) {
  ros::init(argc, argv, kind, ros::init_options::NoSigintHandler);
  std::signal(SIGINT, SIG_DFL);
  if (!isNameFree(ros::this_node::getName(), kind)) return 1;
  // The last node handle shuts the log down; this one keeps it open for the errors below.
  const ros::NodeHandle handle;
  try {
    epoch();  // reports a wrong one here, not at the first message
    const std::shared_ptr<void> node = kinds().at(kind)(handle, ros::NodeHandle{"~"});
    spinUntilInterrupt();
    ClockGrants::leaveAll();
    ros::shutdown();
    return 0;
  } catch (const Error& error) {
    ROS_FATAL("%s", error.what());
    return 1;
  }
}

}  // namespace ros_nodes

#define MARSIM_NODELET(name, Name) \
  using Name##Nodelet = ros_nodes::NodeletOf<ros_nodes::Name##Node>;
MARSIM_FOR_EACH_NODE(MARSIM_NODELET)
#undef MARSIM_NODELET

}  // namespace marsim

#define MARSIM_EXPORT(name, Name) PLUGINLIB_EXPORT_CLASS(marsim::Name##Nodelet, nodelet::Nodelet)
MARSIM_FOR_EACH_NODE(MARSIM_EXPORT)
