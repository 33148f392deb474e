#pragma once

#include <memory>

#include <geometry_msgs/PoseStamped.h>
#include <ros/ros.h>

#include "marsim/StateReference.h"
#include "marsim/VehicleState.h"
#include "marsim/control/commander.hpp"
#include "marsim/control/controller.hpp"
#include "marsim/ros/frames.hpp"

namespace marsim::ros_nodes {

/// Cascaded PID of one UAV, run once for each `state`.
///
/// In: `state` (marsim/VehicleState), `goal` (geometry_msgs/PoseStamped, flown to on a smooth
/// path), `goal_2d` (the same for RViz's '2D Nav Goal': keeps the present altitude),
/// `command/state` (marsim/StateReference, tracked at once). Out: `motor_speeds`
/// (marsim/MotorSpeeds), `reference` (marsim/StateReference), `tracking_error`
/// (marsim/TrackingError), `planned_path` (nav_msgs/Path, one for each goal).
/// Goals may be in the world frame or in this UAV's base_link. A zero quaternion keeps the yaw.
/// Parameters: vehicle, controller, goal_speed [m/s], goal_acceleration [m/s^2] (default: the
/// controller file's), world_frame, frame_prefix.
class ControllerNode {
 public:
  ControllerNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  void onState(const marsim::VehicleStateConstPtr& message);
  void onGoal(const geometry_msgs::PoseStampedConstPtr& message, bool keep_altitude);
  void onReference(const marsim::StateReferenceConstPtr& message);
  void publishPlannedPath(const Eigen::Vector3d& goal_p_WB, double yaw);

  Frames frames_;
  control::GoalLimits limits_;
  std::unique_ptr<control::Controller> controller_;
  std::unique_ptr<control::Commander> commander_;
  KinematicState state_;
  control::Reference reference_;
  bool has_state_ = false;

  ros::Publisher motor_publisher_, reference_publisher_, error_publisher_, path_publisher_;
  ros::Subscriber state_subscriber_, goal_subscriber_, goal_2d_subscriber_, reference_subscriber_;
};

}  // namespace marsim::ros_nodes
