// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <nav_msgs/Odometry.h>
#include <ros/ros.h>
#include <sensor_msgs/Imu.h>
#include <topic_tools/shape_shifter.h>

#include "marsim/config/load.hpp"
#include "marsim/sim/pilot.hpp"
#include "ros/common/inputs.hpp"
#include "ros/common/params.hpp"
#include "ros/common/watched_publisher.hpp"
#include "ros/messages/frames.hpp"

namespace marsim::ros_nodes {

/// The input of a pilot in place of the truth: the poses of a SLAM and the vehicle's IMU.
///
/// In: `imu/data_raw` and the topic that `estimate` names (nav_msgs/Odometry, or another message of
/// poses as readPoses() knows them). Out, with a simulated SLAM: `slam_odom` (nav_msgs/Odometry).
class EstimateInput {
 public:
  /// Reads which estimates a pilot flies on; none: the truth. `estimate` is the parameter of that
  /// name (a topic, realistic, none or auto), `vehicle` has the IMU in use. Other parameters:
  /// estimate_frame, estimate_origin (world or vehicle), estimate_delay and estimate_settle [s], as
  /// config::chooseEstimate() reads them.
  static std::optional<sim::EstimateConfig> read(Params& params, const std::string& estimate,
                                                 const vehicle::VehicleConfig& vehicle,
                                                 const std::string& lidar);
  /// `topic` of the estimates, empty: of a simulated SLAM. `inputs` and `frames` are the node's.
  /// `onImu` is called after each sample.
  EstimateInput(ros::NodeHandle& handle, Inputs& inputs, const Frames& frames,
                const std::string& topic, sim::EstimateLoop& loop, std::function<void()> onImu);

  /// Whether a report can be answered: the IMU's sample of its instant has come.
  bool isReady(const sim::VehicleReport& report) const { return loop_.isReady(report); }
  /// Publishes the simulated SLAM's estimate and logs changes. Call after each answer.
  void answered();
  sim::EstimateLoop::Phase phase() const { return loop_.phase(); }

 private:
  void onImu(const sensor_msgs::ImuConstPtr& message);
  void onEstimate(const topic_tools::ShapeShifter::ConstPtr& message);

  Frames frames_;
  std::string topic_;
  sim::EstimateLoop& loop_;
  std::function<void()> onImu_;
  Inputs& inputs_;
  WatchedPublisher<nav_msgs::Odometry> slam_publisher_;
  ros::Subscriber imu_subscriber_, estimate_subscriber_;
};

/// A phase's name for the user.
const char* nameOf(sim::EstimateLoop::Phase phase);

}  // namespace marsim::ros_nodes
