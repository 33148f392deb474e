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

/// Fills all but the header and placements.
void toMessage(const control::ActiveCommand& command, marsim::ActiveCommand& message);
/// Throws Error where the kind is unknown or a value that is read is NaN or infinite.
control::ActiveCommand fromMessage(const marsim::ActiveCommand& message);

/// A controller's news of what it follows, told on `command_taken`: at once, but not more often
/// than every kPeriod of simulated time; what came last gets out in any case. Latched: the vehicle
/// may still be finding its new controller.
class CommandTeller {
 public:
  static constexpr TimeNs kPeriod = kNsPerSecond / 10;

  CommandTeller() = default;
  CommandTeller(ros::NodeHandle& handle, std::string world_frame);

  /// The commander was given something.
  void taken() { is_due_ = true; }
  /// At a state and after taken(). `placements` are those of the vehicle at that state.
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

/// The vehicle's memory of what its controller follows: the last `command_taken` since it was put
/// somewhere, told on `active_command`, latched.
class CommandKeeper {
 public:
  /// `inputs` of the node, which lives as long.
  CommandKeeper(ros::NodeHandle& handle, Inputs& inputs);

  /// The vehicle was put somewhere: what was followed holds no longer.
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
