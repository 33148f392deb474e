// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/reference_input.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nav_msgs/Path.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "ros/messages/header_stamp.hpp"
#include "ros/messages/trajectory_message.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr TimeNs kPlannedPathSpacing =
    kNsPerSecond / 10;               // least time between poses on `planned_path`
constexpr TimeNs kPathPoses = 2000;  // most poses on it
constexpr char kPositionCommand[] = "command/position";

sim::PoseRequest toRequest(const geometry_msgs::PoseStamped& message) {
  return {message.header.frame_id,
          {fromQuaternion(message.pose.orientation), fromPoint(message.pose.position)}};
}

}  // namespace

ReferenceInput::ReferenceInput(ros::NodeHandle& handle, CommandGate& gate,
                               const control::GoalLimits& limits)
    : gate_(gate),
      limits_(limits),
      path_publisher_(handle.advertise<nav_msgs::Path>("planned_path", 1, true)),
      position_subscriber_(handle, kPositionCommand,
                           [this](const topic_tools::ShapeShifter::ConstPtr& message) {
                             onPositionCommand(message);
                           }) {
  using sim::CommandKind;
  const auto poses = [&](const std::string& topic, CommandKind kind, auto on) {
    return gate_.subscribe<geometry_msgs::PoseStamped>(handle, topic, kind, on);
  };
  using Pose = geometry_msgs::PoseStampedConstPtr;
  goal_subscriber_ = poses("goal", CommandKind::kGoal, [this](const Pose& m) { flyTo(*m, false); });
  goal_2d_subscriber_ =
      poses("goal_2d", CommandKind::kGoal2d, [this](const Pose& m) { flyTo(*m, true); });
  reference_subscriber_ = gate_.subscribe<marsim::StateReference>(
      handle, "command/state", CommandKind::kState,
      [this](const marsim::StateReferenceConstPtr& m) { onReference(m); });
  trajectory_subscriber_ = gate_.subscribe<trajectory_msgs::MultiDOFJointTrajectory>(
      handle, "command/trajectory", CommandKind::kTrajectory,
      [this](const trajectory_msgs::MultiDOFJointTrajectoryConstPtr& m) { onTrajectory(m); });
  pose_subscriber_ =
      poses("command/pose", CommandKind::kPose, [this](const Pose& m) { onPose(m); });
}

void ReferenceInput::flyTo(const geometry_msgs::PoseStamped& message, bool keeps_altitude) {
  const char* topic = keeps_altitude ? "goal_2d" : "goal";
  if (gate_.flyTo(topic, toRequest(message), keeps_altitude)) publishPlannedPath();
}

void ReferenceInput::onReference(const marsim::StateReferenceConstPtr& message) {
  gate_.track("command/state", message->header.frame_id, fromMessage(*message));
}

void ReferenceInput::onPositionCommand(const topic_tools::ShapeShifter::ConstPtr& message) {
  const std::string& md5 = message->getMD5Sum();
  const char* users = positionCommandUsers(md5);
  if (users == nullptr) {
    gate_.watch().refusedAlways(
        kPositionCommand,
        fmt::format("{} with md5 {}, allowed: {}", clipped(message->getDataType()), clipped(md5),
                    knownPositionCommands()),
        wallTime());
    return;
  }
  try {
    const PositionCommand command = decodePositionCommand(md5, bytesOf(*message));
    gate_.take(sim::CommandKind::kPosition, command.stamp,
               [this, command, users] { follow(command, users); });
  } catch (const Error& error) {
    gate_.refuse(kPositionCommand, error.what());
  }
}

void ReferenceInput::follow(const PositionCommand& command, const char* users) {
  if (command.trajectory_flag && !isFollowed(*command.trajectory_flag)) {
    gate_.refuse(kPositionCommand, fmt::format("trajectory_flag is {}, allowed: 0 to 3",
                                               static_cast<int>(*command.trajectory_flag)));
    return;
  }
  for (const std::string& field : command.not_given) {
    gate_.watch().notGiven(fmt::format("{} ({})", kPositionCommand, users), field);
  }
  gate_.track(kPositionCommand, command.frame_id, command.reference);
}

void ReferenceInput::onTrajectory(const trajectory_msgs::MultiDOFJointTrajectoryConstPtr& message) {
  gate_.followTrajectory("command/trajectory", message->header.frame_id,
                         [&](double yaw) { return fromMessage(*message, yaw); });
}

void ReferenceInput::onPose(const geometry_msgs::PoseStampedConstPtr& message) {
  gate_.hold("command/pose", toRequest(*message));
}

void ReferenceInput::publishPlannedPath() {
  const control::ActiveCommand goal = gate_.pilot().commander().active();
  const control::GoalPath path(goal.from, goal.stamp, goal.target_p_WB, goal.target_yaw, limits_);
  nav_msgs::Path message;
  message.header = toHeader(goal.stamp, gate_.frames().world);
  const TimeNs spacing = std::max(kPlannedPathSpacing, (path.end() - goal.stamp) / kPathPoses);
  for (TimeNs t = goal.stamp;; t += spacing) {
    const control::Reference at = path.at(t);
    message.poses.push_back(
        toPoseStamped({fromRollPitchYaw(0.0, 0.0, at.yaw), at.p_WB}, gate_.frames().world, t));
    if (t >= path.end()) break;
  }
  path_publisher_.publish(message);
}

}  // namespace marsim::ros_nodes
