// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/simulated_slam_node.hpp"

#include "marsim/common/error.hpp"
#include "ros/common/params.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr TimeNs kLead = kNsPerSecond / 50;  // that /clock may go past the last message
constexpr double kRepeat = 0.1;              // [s] of wall time between grants' repeats

}  // namespace

SimulatedSlamNode::SimulatedSlamNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : random_(0), inputs_(handle) {
  Params params(private_handle);
  period_ = periodNs(params.positive("rate", Quantity::kFrequency));
  position_noise_ = params.number("position_noise", Quantity::kLength);
  attitude_noise_ = params.number("attitude_noise", Quantity::kAngle);
  drift_ = params.number("drift", Quantity::kSpeed);
  lost_at_ = params.numberOrAuto("lost_at", Quantity::kTime);
  back_at_ = params.numberOrAuto("back_at", Quantity::kTime);
  jump_at_ = params.numberOrAuto("jump_at", Quantity::kTime);
  jump_ = params.number("jump", Quantity::kLength);
  random_ = RandomStream(readSeed(params, handle), "simulated_slam");
  const bool in_lockstep = params.flag("lockstep");
  params.finish();
  const Validator check(params.where());
  check.notNegative("position_noise", position_noise_, "m");
  check.notNegative("attitude_noise", attitude_noise_, "rad");

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
  const double seconds = toSeconds(stamp);
  const bool is_due = stamp / period_ != last_ / period_ || last_ < 0;
  last_ = stamp;
  const bool is_lost = seconds >= lost_at_ && !(seconds >= back_at_);
  if (is_due && !is_lost) {
    nav_msgs::Odometry estimated;
    estimated.header = message->header;
    estimated.child_frame_id = message->child_frame_id;
    estimated.pose.pose = estimate(message->pose.pose, seconds);
    publisher_.publish(estimated);
  }
  if (grants_) grants_->grant(stamp + kLead);
}

geometry_msgs::Pose SimulatedSlamNode::estimate(const geometry_msgs::Pose& truth, double seconds) {
  Pose X{fromQuaternion(truth.orientation), fromPoint(truth.position)};
  X.p += deviate(position_noise_);
  X.q = (X.q * expMap(deviate(attitude_noise_))).normalized();
  X.p.x() += drift_ * seconds + (seconds >= jump_at_ ? jump_ : 0.0);
  return toPose(X);
}

Eigen::Vector3d SimulatedSlamNode::deviate(double sigma) {
  const double x = random_.normal(), y = random_.normal(), z = random_.normal();
  return {sigma * x, sigma * y, sigma * z};
}

}  // namespace marsim::ros_nodes
