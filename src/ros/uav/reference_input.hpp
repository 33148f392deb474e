// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <geometry_msgs/PoseStamped.h>
#include <ros/ros.h>
#include <topic_tools/shape_shifter.h>
#include <trajectory_msgs/MultiDOFJointTrajectory.h>

#include "marsim/StateReference.h"
#include "marsim/control/goal_path.hpp"
#include "ros/common/any_type_subscriber.hpp"
#include "ros/messages/position_command.hpp"
#include "ros/uav/command_gate.hpp"

namespace marsim::ros_nodes {

/// The commands of a UAV that are held when nothing more comes: goals, poses, full states and
/// trajectories.
///
/// In: `goal` (geometry_msgs/PoseStamped, flown to on a smooth path), `goal_2d` (the same for
/// RViz's '2D Nav Goal': keeps the present altitude), `command/state` (marsim/StateReference,
/// tracked at once), `command/position` (any of the known quadrotor_msgs/PositionCommand, see
/// position_command.hpp), `command/trajectory` (trajectory_msgs/MultiDOFJointTrajectory) and
/// `command/pose` (geometry_msgs/PoseStamped, a set point) as RotorS reads them. Out:
/// `planned_path` (nav_msgs/Path, one for each goal).
/// Goals may be in the world frame or in this UAV's base_link; those below the ground are refused.
/// A zero quaternion keeps the yaw.
class ReferenceInput {
 public:
  ReferenceInput(ros::NodeHandle& handle, CommandGate& gate, const control::GoalLimits& limits);

  /// Call it once in a while.
  void lookForPlanners() { position_subscriber_.look(); }
  /// Publishes the path to the present goal.
  void publishPlannedPath();

 private:
  void flyTo(const geometry_msgs::PoseStamped& message, bool keeps_altitude);
  void onReference(const marsim::StateReferenceConstPtr& message);
  void onPositionCommand(const topic_tools::ShapeShifter::ConstPtr& message);
  void follow(const PositionCommand& command, const char* users);
  void onTrajectory(const trajectory_msgs::MultiDOFJointTrajectoryConstPtr& message);
  void onPose(const geometry_msgs::PoseStampedConstPtr& message);

  CommandGate& gate_;
  control::GoalLimits limits_;
  ros::Publisher path_publisher_;
  AnyTypeSubscriber position_subscriber_;
  ros::Subscriber goal_subscriber_, goal_2d_subscriber_, reference_subscriber_,
      trajectory_subscriber_, pose_subscriber_;
};

}  // namespace marsim::ros_nodes
