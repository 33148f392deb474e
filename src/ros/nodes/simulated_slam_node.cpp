// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/simulated_slam_node.hpp"

#include <cmath>

#include "ros/common/params.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr TimeNs kLead = kNsPerSecond / 50;  // that /clock may go past the last message
constexpr double kRepeat = 0.1;              // [s] of wall time between grants' repeats

}  // namespace

SimulatedSlamNode::SimulatedSlamNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : inputs_(handle) {
  Params params(private_handle);
  const auto time = [&params](const std::string& name) {
    const double seconds = params.numberOrAuto(name, Quantity::kTime);
    return std::isnan(seconds) ? std::nullopt : std::optional<double>(seconds);
  };
  vehicle::SlamConfig config;
  config.rate = params.number("rate", Quantity::kFrequency);
  config.position_noise = params.number("position_noise", Quantity::kLength);
  config.attitude_noise = params.number("attitude_noise", Quantity::kAngle);
  config.drift = params.number("drift", Quantity::kSpeed);
  config.lost_at = time("lost_at");
  config.back_at = time("back_at");
  config.jump_at = time("jump_at");
  config.jump = params.number("jump", Quantity::kLength);
  const std::uint64_t seed = readSeed(params, handle);
  const bool in_lockstep = params.flag("lockstep");
  params.finish();
  checkSettings(params.where(), config);
  slam_.emplace(config, seed);

  publisher_ = handle.advertise<nav_msgs::Odometry>("slam_odom", 10);
  if (in_lockstep) grants_.emplace(handle, private_handle);
  subscriber_ = inputs_.subscribeToStream("odom", 1000, &SimulatedSlamNode::onOdometry, this);
  if (!grants_) return;
  grants_->grant(kLead);
  timer_ = handle.createSteadyTimer(ros::WallDuration(kRepeat),
                                    [this](const ros::SteadyTimerEvent&) { grants_->repeat(); });
}

void SimulatedSlamNode::onOdometry(const nav_msgs::OdometryConstPtr& message) {
  const TimeNs stamp = fromRos(message->header.stamp);
  const geometry_msgs::Pose& truth = message->pose.pose;
  const Pose X_WB{fromQuaternion(truth.orientation), fromPoint(truth.position)};
  if (const auto estimate = slam_->at(stamp, X_WB)) {
    nav_msgs::Odometry estimated;
    estimated.header = message->header;
    estimated.child_frame_id = message->child_frame_id;
    estimated.pose.pose = toPose(estimate->X_WB);
    publisher_.publish(estimated);
  }
  if (grants_) grants_->grant(stamp + kLead);
}

}  // namespace marsim::ros_nodes
