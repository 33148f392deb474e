// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/pose_messages.hpp"

#include <exception>

#include <fmt/format.h>
#include <geometry_msgs/PoseWithCovarianceStamped.h>
#include <nav_msgs/Odometry.h>
#include <nav_msgs/Path.h>
#include <ros/serialization.h>

#include "marsim/common/error.hpp"
#include "ros/messages/message_fault.hpp"

namespace marsim::ros_nodes {
namespace {

template <class Message>
bool is(const std::string& md5) {
  return md5 == ros::message_traits::md5sum<Message>();
}

template <class Message>
Message read(std::vector<std::uint8_t>& bytes) {
  ros::serialization::IStream stream(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  Message message;
  try {
    ros::serialization::deserialize(stream, message);
  } catch (const std::exception& error) {  // fewer bytes than its definition needs
    throw Error(error.what());
  }
  return message;
}

// For Odometry and PoseWithCovarianceStamped.
template <class Message>
MessagePoses readOne(std::vector<std::uint8_t>& bytes) {
  const Message message = read<Message>(bytes);
  geometry_msgs::PoseStamped pose;
  pose.header = message.header;
  pose.pose = message.pose.pose;
  return {false, {pose}};
}

}  // namespace

MessagePoses readPoses(const std::string& type, const std::string& md5,
                       std::vector<std::uint8_t> message) {
  if (is<nav_msgs::Odometry>(md5)) return readOne<nav_msgs::Odometry>(message);
  if (is<geometry_msgs::PoseStamped>(md5)) {
    return {false, {read<geometry_msgs::PoseStamped>(message)}};
  }
  if (is<geometry_msgs::PoseWithCovarianceStamped>(md5)) {
    return readOne<geometry_msgs::PoseWithCovarianceStamped>(message);
  }
  if (is<nav_msgs::Path>(md5)) return {true, read<nav_msgs::Path>(message).poses};
  throw Error(
      fmt::format("{} (md5 {}) has no poses that are known, allowed: nav_msgs/Odometry, "
                  "nav_msgs/Path, geometry_msgs/PoseStamped, "
                  "geometry_msgs/PoseWithCovarianceStamped",
                  type, md5));
}

bool isUsable(const geometry_msgs::Pose& pose) { return faultOf(pose, Numbers::kFinite).empty(); }

}  // namespace marsim::ros_nodes
