// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <geometry_msgs/Twist.h>
#include <ros/ros.h>
#include <topic_tools/shape_shifter.h>

#include "marsim/AttitudeCommand.h"
#include "marsim/MotorSpeeds.h"
#include "marsim/RateCommand.h"
#include "ros/common/any_type_subscriber.hpp"
#include "ros/uav/command_gate.hpp"

namespace marsim::ros_nodes {

/// The commands of a UAV that hold for half a second: velocities, attitudes, body rates and motor
/// speeds. When nothing newer comes the vehicle brakes and holds its place.
///
/// In: `command/velocity` and `cmd_vel` (geometry_msgs/TwistStamped or Twist), `command/attitude`
/// (marsim/AttitudeCommand), `command/rates` (marsim/RateCommand), `command/motor_speeds`
/// (marsim/MotorSpeeds). Velocities in base_link are in the heading frame: x forward and y left of
/// the yaw, z up. Those without a frame are in the world, on `cmd_vel` in the heading frame.
class StreamInput {
 public:
  /// `rotors`: the vehicle's.
  StreamInput(ros::NodeHandle& handle, CommandGate& gate, std::size_t rotors);

  /// Call it once in a while.
  void lookForPublishers();

 private:
  /// A topic of velocities.
  struct VelocityTopic {
    const char* name;
    sim::CommandKind kind;
    bool is_body_default;  ///< a velocity without a frame is in the heading frame
  };

  AnyTypeSubscriber::Callback velocityCallback(const VelocityTopic& topic);
  void onVelocity(const VelocityTopic& topic, const topic_tools::ShapeShifter& message);
  void onAttitude(const marsim::AttitudeCommandConstPtr& message);
  void onRates(const marsim::RateCommandConstPtr& message);
  void onMotorSpeeds(const marsim::MotorSpeedsConstPtr& message);
  bool isThrust(const char* topic, double thrust);

  CommandGate& gate_;
  std::size_t rotors_;
  AnyTypeSubscriber velocity_subscriber_, cmd_vel_subscriber_;
  ros::Subscriber attitude_subscriber_, rates_subscriber_, motor_subscriber_;
};

}  // namespace marsim::ros_nodes
