// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/command_outputs.hpp"

#include <geometry_msgs/PoseStamped.h>
#include <geometry_msgs/TwistStamped.h>

#include "marsim/AttitudeCommand.h"
#include "marsim/RateCommand.h"
#include "marsim/StateReference.h"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::uint32_t kOutputQueue = 10;

/// Calls the function for a command's kind.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

geometry_msgs::TwistStamped toTwist(const Eigen::Vector3d& velocity, double yaw_rate,
                                    const std::string& frame, TimeNs stamp) {
  geometry_msgs::TwistStamped message;
  message.header = toHeader(stamp, frame);
  message.twist.linear = toVector3(velocity);
  message.twist.angular.z = yaw_rate;
  return message;
}

}  // namespace

CommandOutputs::CommandOutputs(ros::NodeHandle& handle, const Frames& frames)
    : frames_(frames),
      pose_(handle.advertise<geometry_msgs::PoseStamped>("command/pose", kOutputQueue)),
      reference_(handle.advertise<marsim::StateReference>("command/state", kOutputQueue)),
      velocity_(handle.advertise<geometry_msgs::TwistStamped>("command/velocity", kOutputQueue)),
      attitude_(handle.advertise<marsim::AttitudeCommand>("command/attitude", kOutputQueue)),
      rates_(handle.advertise<marsim::RateCommand>("command/rates", kOutputQueue)),
      goal_(handle.advertise<geometry_msgs::PoseStamped>("goal", kOutputQueue)) {}

void CommandOutputs::publish(const control::offboard::Command& command, TimeNs stamp) const {
  using control::offboard::PoseCommand;
  using control::offboard::VelocitySetpoint;
  const auto pose = [&](const PoseCommand& given) {
    geometry_msgs::PoseStamped message;
    message.header = toHeader(stamp, frames_.world);
    message.pose.position = toPoint(given.p_WB);
    if (given.yaw) message.pose.orientation = toQuaternion(fromRollPitchYaw(0.0, 0.0, *given.yaw));
    pose_.publish(message);
  };
  const auto reference = [&](const control::Reference& given) {
    marsim::StateReference message;
    toMessage(given, stamp, message);
    message.header.frame_id = frames_.world;
    reference_.publish(message);
  };
  const auto velocity = [&](const VelocitySetpoint& given) {
    velocity_.publish(toTwist(given.v_WB, given.yaw_rate, frames_.world, stamp));
  };
  const auto attitude = [&](const control::AttitudeSetpoint& given) {
    marsim::AttitudeCommand message;
    message.header = toHeader(stamp, frames_.world);
    message.orientation = toQuaternion(given.q_WB);
    message.yaw_rate = given.yaw_rate;
    message.thrust = given.thrust;
    attitude_.publish(message);
  };
  const auto rates = [&](const control::RateSetpoint& given) {
    marsim::RateCommand message;
    message.header = toHeader(stamp, frames_.base());
    message.rates = toVector3(given.w_WB_B);
    message.thrust = given.thrust;
    rates_.publish(message);
  };
  std::visit(Overloaded{pose, reference, velocity, attitude, rates}, command);
}

void CommandOutputs::publish(const control::BodyVelocity& velocity, TimeNs stamp) const {
  velocity_.publish(toTwist(velocity.v, velocity.yaw_rate, frames_.base(), stamp));
}

void CommandOutputs::goTo(const Eigen::Vector3d& p_WB, TimeNs stamp) const {
  geometry_msgs::PoseStamped message;
  message.header = toHeader(stamp, frames_.world);
  message.pose.position = toPoint(p_WB);
  goal_.publish(message);
}

}  // namespace marsim::ros_nodes
