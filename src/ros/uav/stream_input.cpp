// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/stream_input.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <geometry_msgs/TwistStamped.h>

#include "common/text.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr char kAttitude[] = "command/attitude";
constexpr char kRates[] = "command/rates";
constexpr char kMotorSpeeds[] = "command/motor_speeds";
constexpr char kNotFinite[] = "a value is NaN or infinite";

}  // namespace

StreamInput::StreamInput(ros::NodeHandle& handle, CommandGate& gate, std::size_t rotors)
    : gate_(gate),
      rotors_(rotors),
      velocity_subscriber_(
          handle, "command/velocity",
          velocityCallback({"command/velocity", sim::CommandKind::kVelocity, false})),
      cmd_vel_subscriber_(handle, "cmd_vel",
                          velocityCallback({"cmd_vel", sim::CommandKind::kCmdVel, true})) {
  attitude_subscriber_ = gate_.subscribe<marsim::AttitudeCommand>(
      handle, kAttitude, sim::CommandKind::kAttitude,
      [this](const marsim::AttitudeCommandConstPtr& m) { onAttitude(m); });
  rates_subscriber_ = gate_.subscribe<marsim::RateCommand>(
      handle, kRates, sim::CommandKind::kRates,
      [this](const marsim::RateCommandConstPtr& m) { onRates(m); });
  motor_subscriber_ = gate_.subscribe<marsim::MotorSpeeds>(
      handle, kMotorSpeeds, sim::CommandKind::kMotorSpeeds,
      [this](const marsim::MotorSpeedsConstPtr& m) { onMotorSpeeds(m); });
}

void StreamInput::lookForPublishers() {
  velocity_subscriber_.look();
  cmd_vel_subscriber_.look();
}

AnyTypeSubscriber::Callback StreamInput::velocityCallback(const VelocityTopic& topic) {
  return [this, topic](const topic_tools::ShapeShifter::ConstPtr& message) {
    onVelocity(topic, *message);
  };
}

void StreamInput::onVelocity(const VelocityTopic& topic,
                             const topic_tools::ShapeShifter& message) try {
  geometry_msgs::TwistStamped command;
  if (isOfType<geometry_msgs::TwistStamped>(message)) {
    command = *message.instantiate<geometry_msgs::TwistStamped>();
  } else if (isOfType<geometry_msgs::Twist>(message)) {
    command.twist = *message.instantiate<geometry_msgs::Twist>();
  } else {
    gate_.watch().refusedAlways(
        topic.name,
        fmt::format("type is {}, allowed: geometry_msgs/TwistStamped or geometry_msgs/Twist",
                    clipped(message.getDataType())),
        wallTime());
    return;
  }
  const std::string fault = faultOf(command);
  if (!fault.empty()) return gate_.refuse(topic.name, fault);
  gate_.take(topic.kind, fromRos(command.header.stamp), [this, topic, command] {
    const geometry_msgs::Twist& twist = command.twist;
    gate_.move(topic.name,
               {command.header.frame_id, fromVector3(twist.linear), fromVector3(twist.angular)},
               topic.is_body_default);
  });
} catch (const ros::Exception& error) {  // fewer bytes than it says
  gate_.refuse(topic.name, error.what());
}

bool StreamInput::isThrust(const char* topic, double thrust) {
  if (thrust >= 0.0) return true;
  gate_.refuse(topic, fmt::format("thrust is {:g} N, allowed: 0 and more", thrust));
  return false;
}

void StreamInput::onAttitude(const marsim::AttitudeCommandConstPtr& message) {
  control::AttitudeSetpoint setpoint{fromQuaternion(message->orientation), message->yaw_rate,
                                     message->thrust};
  if (!setpoint.q_WB.coeffs().allFinite() || !std::isfinite(setpoint.yaw_rate) ||
      !std::isfinite(setpoint.thrust)) {
    return gate_.refuse(kAttitude, kNotFinite);
  }
  if (sim::isUnset(setpoint.q_WB)) {
    return gate_.refuse(kAttitude, "orientation is zero, allowed: a quaternion");
  }
  if (!isThrust(kAttitude, setpoint.thrust)) return;
  if (!gate_.isInWorld(kAttitude, message->header.frame_id)) return;
  setpoint.q_WB.normalize();
  gate_.setInner(kAttitude, setpoint);
}

void StreamInput::onRates(const marsim::RateCommandConstPtr& message) {
  const control::RateSetpoint setpoint{fromVector3(message->rates), message->thrust};
  if (!setpoint.w_WB_B.allFinite() || !std::isfinite(setpoint.thrust)) {
    return gate_.refuse(kRates, kNotFinite);
  }
  if (!isThrust(kRates, setpoint.thrust)) return;
  const std::string& frame = message->header.frame_id;
  if (!frame.empty() && !gate_.isBase(frame)) {
    gate_.watch().refusedAlways(kRates,
                                fmt::format("header.frame_id is '{}', allowed: '{}' or empty",
                                            clipped(frame), gate_.frames().base()),
                                wallTime());
    return;
  }
  gate_.setInner(kRates, setpoint);
}

void StreamInput::onMotorSpeeds(const marsim::MotorSpeedsConstPtr& message) {
  const std::vector<double>& speeds = message->speeds;
  if (speeds.size() != rotors_) {
    return gate_.refuse(kMotorSpeeds,
                        fmt::format("{} speeds, allowed: {}", speeds.size(), rotors_));
  }
  for (const double speed : speeds) {
    if (speed >= 0.0 && std::isfinite(speed)) continue;
    return gate_.refuse(kMotorSpeeds,
                        fmt::format("a speed is {:g} rad/s, allowed: 0 and more", speed));
  }
  control::MotorSetpoint setpoint{RotorArray(static_cast<Eigen::Index>(speeds.size()))};
  std::copy(speeds.begin(), speeds.end(), setpoint.speeds.data());
  gate_.setInner(kMotorSpeeds, setpoint);
}

}  // namespace marsim::ros_nodes
