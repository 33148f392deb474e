// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ros/ros.h>

#include "control/pilot/key_flight.hpp"
#include "control/pilot/offboard.hpp"
#include "ros/messages/frames.hpp"

namespace marsim::ros_nodes {

/// Topics that command a UAV's controller from outside: `command/pose`, `command/state`,
/// `command/velocity`, `command/attitude`, `command/rates` and `goal`.
class CommandOutputs {
 public:
  CommandOutputs() = default;
  CommandOutputs(ros::NodeHandle& handle, const Frames& frames);

  /// Whether the controller subscribes to them.
  bool isConnected() const { return pose_.getNumSubscribers() > 0; }
  /// Publishes a command that acts at a stamp (in lockstep; else at once).
  void publish(const control::offboard::Command& command, TimeNs stamp) const;
  /// Publishes a velocity in the levelled body frame.
  void publish(const control::BodyVelocity& velocity, TimeNs stamp) const;
  /// Makes the vehicle brake and then hold its place.
  void stop(TimeNs stamp) const { publish(control::BodyVelocity{}, stamp); }
  void goTo(const Eigen::Vector3d& p_WB, TimeNs stamp) const;

 private:
  Frames frames_;
  ros::Publisher pose_, reference_, velocity_, attitude_, rates_, goal_;
};

}  // namespace marsim::ros_nodes
