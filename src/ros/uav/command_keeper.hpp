// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <ros/ros.h>

#include "marsim/ActiveCommand.h"
#include "marsim/control/commander.hpp"
#include "ros/common/inputs.hpp"

namespace marsim::ros_nodes {

/// Fills everything except the header and placements.
void toMessage(const control::ActiveCommand& command, marsim::ActiveCommand& message);
/// Throws Error for an unknown kind and for a used value that is NaN or infinite.
control::ActiveCommand fromMessage(const marsim::ActiveCommand& message);

/// Announces the command that a controller follows on `command_taken`: at once, but at most every
/// kPeriod of simulated time; the last command is announced in any case. Latched, since the vehicle
/// may still be finding its new controller.
class CommandTeller {
 public:
  static constexpr TimeNs kPeriod = kNsPerSecond / 10;

  CommandTeller() = default;
  CommandTeller(ros::NodeHandle& handle, std::string world_frame);

  /// Notes that the commander was given a command.
  void taken() { is_due_ = true; }
  /// Call it at a state and after taken(). `placements`: the vehicle's at that state.
  void tell(const control::Commander& commander, TimeNs now, std::uint32_t placements);
  void reset() { *this = CommandTeller(publisher_, world_frame_); }

 private:
  CommandTeller(ros::Publisher publisher, std::string world_frame)
      : publisher_(std::move(publisher)), world_frame_(std::move(world_frame)) {}

  ros::Publisher publisher_;
  std::string world_frame_;
  bool is_due_ = false;
  std::optional<TimeNs> told_at_;
};

/// The vehicle's memory of its controller's command: the last `command_taken` since the last
/// placement, published on `active_command`, latched.
class CommandKeeper {
 public:
  /// `inputs` of the node, which lives as long.
  CommandKeeper(ros::NodeHandle& handle, Inputs& inputs);

  /// Forgets the command, after a placement.
  void forget(std::uint32_t placements, TimeNs stamp);
  bool has() const { return command_.kind != marsim::ActiveCommand::NONE; }

 private:
  void onTaken(const marsim::ActiveCommandConstPtr& message);

  marsim::ActiveCommand command_;
  ros::Time placed_at_;
  ros::Publisher publisher_;
  ros::Subscriber subscriber_;
};

}  // namespace marsim::ros_nodes
