#include "ros/nodes/scenario_topic.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/pose_messages.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::uint32_t kQueue = 5000;

// Whether a definition's first field is a header.
bool beginsWithHeader(const std::string& definition) {
  std::size_t begin = 0;
  while (begin < definition.size()) {
    const std::size_t end = std::min(definition.find('\n', begin), definition.size());
    std::string line = definition.substr(begin, end - begin);
    line.erase(0, line.find_first_not_of(" \t"));
    begin = end + 1;
    if (line.empty() || line.front() == '#') continue;
    return line.compare(0, 7, "Header ") == 0 || line.compare(0, 16, "std_msgs/Header ") == 0;
  }
  return false;
}

// The stamp of a serialised header: seq, secs, nsecs, four bytes each.
TimeNs stampOf(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t stamp[2];
  std::memcpy(stamp, bytes.data() + sizeof(std::uint32_t), sizeof(stamp));
  return fromRos(ros::Time(stamp[0], stamp[1]));
}

}  // namespace

ScenarioTopic::ScenarioTopic(ros::NodeHandle& handle, const std::string& topic, bool with_poses)
    : with_poses_(with_poses) {
  recording_.topic = topic;
  const boost::function<void(const topic_tools::ShapeShifter::ConstPtr&)> take =
      [this](const topic_tools::ShapeShifter::ConstPtr& message) { onMessage(message); };
  subscriber_ = handle.subscribe<topic_tools::ShapeShifter>(topic, kQueue, take);
}

void ScenarioTopic::onMessage(const topic_tools::ShapeShifter::ConstPtr& message) {
  recording_.type = message->getDataType();
  if (!fault_.empty()) return;
  if (!beginsWithHeader(message->getMessageDefinition())) {
    fault_ = fmt::format("{} on {} has no header, so no stamp", recording_.type, recording_.topic);
    return;
  }
  std::vector<std::uint8_t> bytes(message->size());
  ros::serialization::OStream stream(bytes.data(), message->size());
  message->write(stream);
  recording_.stamps.push_back(stampOf(bytes));
  if (!with_poses_) return;
  try {
    MessagePoses poses = readPoses(recording_.type, message->getMD5Sum(), std::move(bytes));
    if (poses.is_path) recording_.poses.clear();
    for (const geometry_msgs::PoseStamped& pose : poses.poses) {
      if (!isFinite(pose.pose)) continue;
      recording_.poses.push_back(
          {fromRos(pose.header.stamp),
           {fromQuaternion(pose.pose.orientation), fromPoint(pose.pose.position)}});
    }
  } catch (const Error& error) {
    fault_ = fmt::format("{}: {}", recording_.topic, error.what());
  }
}

suite::TopicRecording ScenarioTopic::recording(TimeNs stamp) const {
  suite::TopicRecording recording;
  recording.topic = recording_.topic;
  recording.type = recording_.type;
  recording.fault = fault_;
  std::copy_if(recording_.stamps.begin(), recording_.stamps.end(),
               std::back_inserter(recording.stamps), [stamp](TimeNs t) { return t <= stamp; });
  std::copy_if(recording_.poses.begin(), recording_.poses.end(),
               std::back_inserter(recording.poses),
               [stamp](const suite::StampedPose& pose) { return pose.stamp <= stamp; });
  return recording;
}

}  // namespace marsim::ros_nodes
