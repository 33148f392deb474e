// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ros/ros.h>
#include <topic_tools/shape_shifter.h>

#include "scenario/recording.hpp"

namespace marsim::ros_nodes {

/// A topic of any type: records its stamps and, if asked, its poses.
class ScenarioTopic {
 public:
  /// `topic`: full name.
  ScenarioTopic(ros::NodeHandle& handle, const std::string& topic, bool with_poses);

  bool connected() const { return subscriber_.getNumPublishers() > 0; }
  const std::string& name() const { return recording_.topic; }
  TimeNs last() const { return recording_.stamps.empty() ? -1 : recording_.stamps.back(); }
  /// The recording up to `stamp`.
  scenario::TopicRecording recording(TimeNs stamp) const;

 private:
  void onMessage(const topic_tools::ShapeShifter::ConstPtr& message);
  void addPoses(const topic_tools::ShapeShifter& message);

  bool with_poses_;
  scenario::TopicRecording recording_;
  ros::Subscriber subscriber_;
};

}  // namespace marsim::ros_nodes
