// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include <ros/ros.h>
#include <topic_tools/shape_shifter.h>

namespace marsim::ros_nodes {

/// A subscription to a topic whose publishers choose the type. roscpp ties such a subscription to
/// the first definition it meets; after that publisher has gone, another one may have its own.
class AnyTypeSubscriber {
 public:
  using Callback = std::function<void(const topic_tools::ShapeShifter::ConstPtr&)>;

  AnyTypeSubscriber(const ros::NodeHandle& handle, std::string topic, Callback callback);

  /// Looks for publishers that came or left; call it once in a while.
  void look();

 private:
  void subscribe();

  ros::NodeHandle handle_;
  std::string topic_;
  Callback callback_;
  ros::Subscriber subscriber_;
  bool has_publisher_ = false;
};

/// Whether a message has a type, identified by its md5.
template <class Message>
bool isOfType(const topic_tools::ShapeShifter& message) {
  return message.getMD5Sum() == ros::message_traits::MD5Sum<Message>::value();
}

}  // namespace marsim::ros_nodes
