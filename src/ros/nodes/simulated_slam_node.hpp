// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include <nav_msgs/Odometry.h>
#include <ros/ros.h>

#include "marsim/common/random.hpp"
#include "marsim/geometry/pose.hpp"
#include "ros/common/clock_grants.hpp"
#include "ros/common/inputs.hpp"

namespace marsim::ros_nodes {

/// A stand-in for a SLAM: it publishes the true pose with noise, at a rate of its own, and can be
/// made to lose itself or to jump. For trying what flies on estimates without a SLAM.
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
  geometry_msgs::Pose estimate(const geometry_msgs::Pose& truth, double seconds);
  Eigen::Vector3d deviate(double sigma);

  TimeNs period_ = 0;
  double position_noise_ = 0.0, attitude_noise_ = 0.0, drift_ = 0.0, jump_ = 0.0;
  double lost_at_, back_at_, jump_at_;  ///< [s]; NaN: never
  RandomStream random_;
  TimeNs last_ = -1;
  std::optional<ClockGrants> grants_;
  ros::Publisher publisher_;
  Inputs inputs_;
  ros::Subscriber subscriber_;
  ros::SteadyTimer timer_;
};

}  // namespace marsim::ros_nodes
