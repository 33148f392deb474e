// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include <nav_msgs/Odometry.h>
#include <ros/ros.h>

#include "marsim/vehicle/simulated_slam.hpp"
#include "ros/common/clock_grants.hpp"
#include "ros/common/inputs.hpp"

namespace marsim::ros_nodes {

/// A stand-in for a SLAM: publishes the poses of a vehicle::SimulatedSlam.
///
/// In: `odom`. Out: `slam_odom` (nav_msgs/Odometry, without a twist as LiDAR-inertial odometry
/// leaves it). Parameters: rate [Hz], position_noise [m] and attitude_noise [rad] (1 sigma, each
/// axis), drift [m/s] along x, lost_at and back_at [s] (simulated time between which nothing is
/// published), jump_at [s] and jump [m] (along x from then on), seed, lockstep.
class SimulatedSlamNode {
 public:
  SimulatedSlamNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  void onOdometry(const nav_msgs::OdometryConstPtr& message);

  std::optional<vehicle::SimulatedSlam> slam_;
  std::optional<ClockGrants> grants_;
  ros::Publisher publisher_;
  Inputs inputs_;
  ros::Subscriber subscriber_;
  ros::SteadyTimer timer_;
};

}  // namespace marsim::ros_nodes
