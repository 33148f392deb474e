// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/reference_input.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nav_msgs/Path.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "ros/messages/header_stamp.hpp"
#include "ros/messages/pose_messages.hpp"
#include "ros/messages/trajectory_message.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr TimeNs kPlannedPathSpacing =
    kNsPerSecond / 10;               // least time between poses on `planned_path`
constexpr TimeNs kPathPoses = 2000;  // most poses on it
constexpr char kPositionCommand[] = "command/position";

// Whether the required fields of a command are finite.
bool hasRequiredFields(const control::Reference& reference) {
  return reference.p_WB.allFinite() && reference.v_WB.allFinite() && std::isfinite(reference.yaw);
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

void ReferenceInput::flyTo(const geometry_msgs::PoseStamped& message, bool keep_altitude) {
  if (!isUsable(message.pose)) {
    gate_.refuse("goal", "pose has a value that is NaN or infinite");
    return;
  }
  const std::string& frame = message.header.frame_id;
  const bool in_body = gate_.isBase(frame);
  if (!in_body && !isWorldFrame(frame, gate_.frames().world)) {
    gate_.refuse("goal", fmt::format("header.frame_id is '{}', allowed: '{}' or '{}'",
                                     clipped(frame), gate_.frames().world, gate_.frames().base()));
    return;
  }
  // A refused goal must not end the wait for an earlier command (see isOpen).
  if ((in_body || keep_altitude) && !gate_.isOpen("goal")) return;
  Pose X_WG{fromQuaternion(message.pose.orientation), fromPoint(message.pose.position)};
  const bool keeps_yaw = isUnset(X_WG.q);
  if (keeps_yaw) {
    X_WG.q.setIdentity();
  } else {
    X_WG.q.normalize();
  }
  if (in_body) X_WG = gate_.state().X_WB * X_WG;
  if (keep_altitude) X_WG.p.z() = gate_.reference().p_WB.z();
  const std::string problem = gate_.watch().goalProblem(X_WG.p);
  if (!problem.empty()) {
    gate_.refuse("goal", problem);
    return;
  }
  if (!gate_.isOpen("goal")) return;
  gate_.watch().placed("goal", X_WG.p, wallTime());
  const double yaw = keeps_yaw ? gate_.reference().yaw : yawOf(X_WG.q);
  gate_.pilot().commander().setGoal(X_WG.p, yaw, gate_.state().stamp);
  gate_.taken("goal");
  publishPlannedPath();
}

void ReferenceInput::onReference(const marsim::StateReferenceConstPtr& message) {
  constexpr char kTopic[] = "command/state";
  control::Reference reference = fromMessage(*message);
  if (!hasRequiredFields(reference)) {
    gate_.refuse(kTopic, "position, velocity or yaw is NaN or infinite");
    return;
  }
  if (!gate_.isInWorld(kTopic, message->header.frame_id) || !gate_.isOpen(kTopic)) return;
  for (const std::string& field : control::dropUnusable(reference))
    gate_.watch().notGiven(kTopic, field);
  gate_.watch().checkYawRate(kTopic, reference, gate_.state().stamp);
  gate_.watch().tracked(kTopic, reference, gate_.state(), wallTime());
  gate_.pilot().commander().setReference(reference, gate_.state().stamp);
  gate_.taken(kTopic);
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
  if (!gate_.isInWorld(kPositionCommand, command.frame_id)) return;
  if (command.trajectory_flag && !isFollowed(*command.trajectory_flag)) {
    gate_.refuse(kPositionCommand, fmt::format("trajectory_flag is {}, allowed: 0 to 3",
                                               static_cast<int>(*command.trajectory_flag)));
    return;
  }
  if (!gate_.isOpen(kPositionCommand)) return;
  for (const std::string& field : command.not_given) {
    gate_.watch().notGiven(fmt::format("{} ({})", kPositionCommand, users), field);
  }
  control::Reference reference = command.reference;
  gate_.watch().checkYawRate(kPositionCommand, reference, gate_.state().stamp);
  gate_.watch().tracked(kPositionCommand, reference, gate_.state(), wallTime());
  gate_.pilot().commander().setReference(reference, gate_.state().stamp);
  gate_.taken(kPositionCommand);
}

void ReferenceInput::onTrajectory(const trajectory_msgs::MultiDOFJointTrajectoryConstPtr& message) {
  constexpr char kTopic[] = "command/trajectory";
  if (!gate_.isInWorld(kTopic, message->header.frame_id)) return;
  try {
    fromMessage(*message,
                gate_.reference().yaw);  // a refused command must not end a wait (see isOpen)
    if (!gate_.isOpen(kTopic)) return;
    const TrajectoryCommand command = fromMessage(*message, gate_.reference().yaw);
    for (const std::string& field : command.not_given) gate_.watch().notGiven(kTopic, field);
    gate_.watch().tracked(kTopic, command.points, gate_.state(), wallTime());
    gate_.pilot().commander().setTrajectory(command.points, gate_.state().stamp);
    gate_.taken(kTopic);
  } catch (const Error& error) {
    gate_.refuse(kTopic, error.what());
  }
}

void ReferenceInput::onPose(const geometry_msgs::PoseStampedConstPtr& message) {
  constexpr char kTopic[] = "command/pose";
  if (!gate_.isInWorld(kTopic, message->header.frame_id)) return;
  if (!isUsable(message->pose)) {
    gate_.refuse(kTopic, "a value is NaN or infinite");
    return;
  }
  if (!gate_.isOpen(kTopic)) return;
  const Eigen::Vector3d p_WB = fromPoint(message->pose.position);
  gate_.watch().placed(kTopic, p_WB, wallTime());
  const double yaw = yawOrPresent(fromQuaternion(message->pose.orientation), gate_.reference().yaw);
  gate_.pilot().commander().setPose(p_WB, yaw, gate_.state().stamp);
  gate_.taken(kTopic);
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
