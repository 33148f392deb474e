// SPDX-License-Identifier: BSD-3-Clause
#include "ros/suite/scenario_topic.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/header_stamp.hpp"
#include "ros/messages/pose_messages.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::uint32_t kTopicQueue = 5000;

}  // namespace

ScenarioTopic::ScenarioTopic(ros::NodeHandle& handle, const std::string& topic, bool with_poses)
    : with_poses_(with_poses) {
  recording_.topic = topic;
  const boost::function<void(const topic_tools::ShapeShifter::ConstPtr&)> take =
      [this](const topic_tools::ShapeShifter::ConstPtr& message) { onMessage(message); };
  subscriber_ = handle.subscribe<topic_tools::ShapeShifter>(topic, kTopicQueue, take);
}

void ScenarioTopic::onMessage(const topic_tools::ShapeShifter::ConstPtr& message) {
  recording_.type = message->getDataType();
  if (!recording_.fault.empty()) return;
  try {
    recording_.stamps.push_back(headerStamp(*message));
    if (with_poses_) addPoses(*message);
  } catch (const Error& error) {
    recording_.fault = fmt::format("{}: {}", recording_.topic, error.what());
  }
}

void ScenarioTopic::addPoses(const topic_tools::ShapeShifter& message) {
  const MessagePoses poses = readPoses(recording_.type, message.getMD5Sum(), bytesOf(message));
  if (poses.is_path) recording_.poses.clear();
  for (const geometry_msgs::PoseStamped& pose : poses.poses) {
    if (!isUsable(pose.pose)) continue;
    recording_.poses.push_back(
        {fromRos(pose.header.stamp),
         {fromQuaternion(pose.pose.orientation), fromPoint(pose.pose.position)}});
  }
}

scenario::TopicRecording ScenarioTopic::recording(TimeNs stamp) const {
  scenario::TopicRecording recording;
  recording.topic = recording_.topic;
  recording.type = recording_.type;
  recording.fault = recording_.fault;
  std::copy_if(recording_.stamps.begin(), recording_.stamps.end(),
               std::back_inserter(recording.stamps), [stamp](TimeNs t) { return t <= stamp; });
  std::copy_if(recording_.poses.begin(), recording_.poses.end(),
               std::back_inserter(recording.poses),
               [stamp](const StampedPose& pose) { return pose.stamp <= stamp; });
  return recording;
}

}  // namespace marsim::ros_nodes
