// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <ros/ros.h>
#include <sensor_msgs/Imu.h>
#include <topic_tools/shape_shifter.h>

#include "marsim/config/load.hpp"
#include "marsim/sim/pilot.hpp"
#include "ros/common/inputs.hpp"
#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

/// The input of a pilot in place of the truth: the poses of a SLAM and the vehicle's IMU.
///
/// In: the topic that `estimate` names (nav_msgs/Odometry, or another message of poses as
/// readPoses() knows them), `imu/data_raw`. Parameters: estimate (a topic; none), estimate_frame
/// (the frame in the body whose pose it gives, as config::chooseFrame reads it), estimate_origin
/// (world; vehicle: its poses are relative to the first one), estimate_delay (from an estimate's
/// stamp to the first state that it acts on [s]), estimate_settle (how long they must have come
/// before the pilot flies on them [s]), imu and lidar (as config::chooseImu reads them).
class EstimateInput {
 public:
  /// Null if no estimate is configured. `inputs` are the node's. `onImu` is called after each
  /// sample.
  static std::unique_ptr<EstimateInput> make(ros::NodeHandle& handle, Inputs& inputs,
                                             Params& params, const vehicle::VehicleConfig& vehicle,
                                             const control::ControllerConfig& controller,
                                             sim::Pilot& pilot, std::function<void()> onImu);

  /// Whether a report can be answered: the IMU's sample of its instant has come.
  bool isReady(const sim::VehicleReport& report) const { return loop_.isReady(report); }
  /// Logs changes. Call after each answer.
  void tellNews();
  const std::string& topic() const { return topic_; }
  sim::EstimateLoop::Phase phase() const { return loop_.phase(); }

 private:
  EstimateInput(ros::NodeHandle& handle, Inputs& inputs, const std::string& topic,
                sim::EstimateLoop& loop, std::function<void()> onImu);
  void onImu(const sensor_msgs::ImuConstPtr& message);
  void onEstimate(const topic_tools::ShapeShifter::ConstPtr& message);

  std::string topic_;
  sim::EstimateLoop& loop_;
  std::function<void()> onImu_;
  Inputs& inputs_;
  ros::Subscriber imu_subscriber_, estimate_subscriber_;
};

/// A phase's name for the user.
const char* nameOf(sim::EstimateLoop::Phase phase);

}  // namespace marsim::ros_nodes
