// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ros/ros.h>
#include <sensor_msgs/Joy.h>

#include "control/pilot/stick_flight.hpp"
#include "marsim/VehicleState.h"
#include "ros/common/inputs.hpp"
#include "ros/common/job_thread.hpp"
#include "ros/common/params.hpp"
#include "ros/messages/frames.hpp"
#include "ros/uav/command_outputs.hpp"
#include "ros/uav/flight_clients.hpp"

namespace marsim::ros_nodes {

/// Flies one UAV by a joystick, in the modes of control::StickFlight.
///
/// In: `joy` (sensor_msgs/Joy, with the driver's autorepeat at 10 Hz or more), `state`
/// (marsim/VehicleState). Out: what CommandOutputs and FlightClients name.
/// It takes control with the first stick that is moved or button that is pressed. When no Joy comes
/// for 0.5 s the vehicle stops and holds, and control is released. Buttons take off (and arm), land
/// and change the mode; after the first two the sticks count again once one is moved. Joysticks
/// know no simulated time: in lockstep a flight does not repeat.
/// Parameters: mode (position, altitude or attitude), speed, climb [m/s], tilt [rad], yaw_rate
/// [rad/s], deadzone, axes/{roll,pitch,yaw,throttle}, reverse/{roll,pitch,yaw,throttle},
/// buttons/{take_off,land,mode} (-1: none), vehicle, world_frame, frame_prefix.
class JoystickNode {
 public:
  JoystickNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  void onJoy(const sensor_msgs::JoyConstPtr& message);
  void onState(const marsim::VehicleStateConstPtr& message);
  bool pressed(const sensor_msgs::Joy& message, int button) const;
  void press(const sensor_msgs::Joy& message);
  void post(std::string (*what)(FlightClients&));

  Frames frames_;
  control::StickAxes axes_;
  control::StickFlight::Mode mode_ = control::StickFlight::Mode::kPosition;
  std::unique_ptr<control::StickFlight> flight_;
  control::Sticks sticks_;
  std::vector<int> buttons_;         ///< at the last message
  std::optional<TimeNs> joy_stamp_;  ///< simulated time of the last message
  TimeNs now_ = 0;
  TimeNs commanded_at_ = -1;
  bool in_control_ = false;
  bool quiet_ = false;               ///< takes off or lands by itself, until a stick is moved
  control::Sticks sticks_at_press_;  ///< when that button was pressed

  CommandOutputs outputs_;
  FlightClients clients_;
  JobThread thread_;  ///< waits for the controller's services; outlives its posters
  Inputs inputs_;
  ros::Subscriber joy_subscriber_, state_subscriber_;
};

}  // namespace marsim::ros_nodes
