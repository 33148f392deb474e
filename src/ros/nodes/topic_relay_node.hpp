// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ros/ros.h>
#include <topic_tools/shape_shifter.h>

namespace marsim::ros_nodes {

/// Publishes the messages of one topic, of any type, on another one, latched. Parameters: from, to
/// (names of topics).
class TopicRelayNode {
 public:
  TopicRelayNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  void onMessage(const topic_tools::ShapeShifter::ConstPtr& message);

  ros::NodeHandle handle_;
  std::string to_;
  ros::Publisher publisher_;
  ros::Subscriber subscriber_;
};

}  // namespace marsim::ros_nodes
