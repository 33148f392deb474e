// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include <ros/ros.h>

#include "ros/messages/conversions.hpp"
#include "ros/messages/frames.hpp"
#include "ros/messages/message_fault.hpp"
#include "sim/command_input.hpp"

namespace marsim::ros_nodes {

using sim::wallTime;

/// Common part of all inputs of a UAV's commands: when a message's command acts, and the checks of
/// sim::CommandInput.
///
/// Outside of lockstep a command acts at once and its stamp is not read; in lockstep it acts at the
/// first state at or after its stamp (sim::Pilot::commandAt).
class CommandGate : public sim::CommandInput {
 public:
  CommandGate(sim::Pilot& pilot, control::CommandWatch& watch, const Frames& frames,
              bool in_lockstep, Hooks hooks);

  /// Calls `command` when a message with this stamp acts.
  void take(sim::CommandKind kind, TimeNs stamp, const std::function<void()>& command);
  /// A subscription that takes messages by their headers' stamps.
  template <class Message>
  ros::Subscriber subscribe(ros::NodeHandle& handle, const std::string& topic,
                            sim::CommandKind kind,
                            std::function<void(const boost::shared_ptr<const Message>&)> on);

  const Frames& frames() const { return frames_; }

 private:
  Frames frames_;
  bool in_lockstep_;
};

template <class Message>
ros::Subscriber CommandGate::subscribe(
    ros::NodeHandle& handle, const std::string& topic, sim::CommandKind kind,
    std::function<void(const boost::shared_ptr<const Message>&)> on) {
  const boost::function<void(const boost::shared_ptr<const Message>&)> callback =
      [this, topic, kind, on](const boost::shared_ptr<const Message>& message) {
        const std::string fault = faultOf(*message);
        if (!fault.empty()) return refuse(topic.c_str(), fault);
        take(kind, fromRos(message->header.stamp), [on, message] { on(message); });
      };
  return handle.subscribe<Message>(topic, 10, callback, ros::VoidConstPtr(),
                                   ros::TransportHints().tcpNoDelay());
}

}  // namespace marsim::ros_nodes
