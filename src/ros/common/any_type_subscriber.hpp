#pragma once

#include <functional>
#include <string>

#include <ros/ros.h>
#include <topic_tools/shape_shifter.h>

namespace marsim::ros_nodes {

/// A subscription to a topic whose type its publishers choose. roscpp ties such a subscription to
/// the first definition that it meets; when that publisher has gone, another one may come with its
/// own.
class AnyTypeSubscriber {
 public:
  using Callback = std::function<void(const topic_tools::ShapeShifter::ConstPtr&)>;

  AnyTypeSubscriber(const ros::NodeHandle& handle, std::string topic, Callback callback);

  /// Looks for publishers that came or went; to be called once in a while.
  void look();

 private:
  void subscribe();

  ros::NodeHandle handle_;
  std::string topic_;
  Callback callback_;
  ros::Subscriber subscriber_;
  bool has_publisher_ = false;
};

/// Whether a message is of a type, told by its md5.
template <class Message>
bool isOfType(const topic_tools::ShapeShifter& message) {
  return message.getMD5Sum() == ros::message_traits::MD5Sum<Message>::value();
}

}  // namespace marsim::ros_nodes
