// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <geometry_msgs/Twist.h>
#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>

#include "marsim/DrivenObstacles.h"
#include "marsim/common/time.hpp"
#include "marsim/scene/obstacle_driver.hpp"
#include "ros/common/clock_grants.hpp"
#include "ros/common/diagnostics.hpp"
#include "ros/common/inputs.hpp"

namespace marsim::ros_nodes {

/// Tells a world's nodes of its obstacles. Every node works out by itself where they are; only
/// those that are driven are followed here.
///
/// In: obstacles/<name>/cmd_vel (geometry_msgs/Twist, in the obstacle's frame) of each driven one.
/// Out: obstacles (marsim/Obstacles, latched), obstacles/driven (marsim/DrivenObstacles, 50 Hz),
/// obstacles/paths (marsim/ObstaclePaths, 10 Hz), obstacle_markers
/// (visualization_msgs/MarkerArray). Parameters: obstacles (name or file of config/obstacles), map
/// and those of readMapConfig, world_frame, marker_rate [Hz], command_timeout [s] after which a
/// driven one stops; 0: never. With drive: false it leaves the driven ones to another machine's
/// node. It takes part in lockstep (see Lockstep).
class ObstaclesNode {
 public:
  ObstaclesNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  void onCommand(std::size_t driven, const geometry_msgs::Twist& twist);
  void followClock();
  void onClock(const rosgraph_msgs::ClockConstPtr& message);
  void publish(TimeNs now, const std::vector<scene::Obstacles::Driven>& states);
  void publishPaths();
  void repeat();
  void showMarkers(const ros::SteadyTimerEvent&);
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status);

  std::string world_frame_, source_;
  std::shared_ptr<scene::Obstacles> obstacles_;
  std::unique_ptr<scene::ObstacleDriver> driver_;
  std::unique_ptr<ClockGrants> clock_grants_;  ///< null outside of lockstep
  TimeNs clock_ = 0;
  marsim::DrivenObstacles told_;  ///< the last message
  TimeNs paths_told_ = -1;        ///< stamp of the last paths
  ros::Publisher obstacles_publisher_, driven_publisher_, paths_publisher_, marker_publisher_;
  Inputs inputs_;
  std::vector<ros::Subscriber> command_subscribers_;  ///< one for each driven obstacle
  ros::Subscriber clock_subscriber_;
  ros::SteadyTimer marker_timer_, repeat_timer_;
  Diagnostics diagnostics_;
};

}  // namespace marsim::ros_nodes
