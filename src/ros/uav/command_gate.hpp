// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include <ros/ros.h>

#include "control/pilot/command_watch.hpp"
#include "marsim/sim/pilot.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/frames.hpp"
#include "ros/messages/message_fault.hpp"

namespace marsim::ros_nodes {

/// Common part of all inputs of a UAV's commands: when a command acts, which frames and states
/// allow it, and the report of accepted and refused commands.
///
/// Outside of lockstep a command acts at once and its stamp is not read; in lockstep it acts at the
/// first state at or after its stamp (sim::Pilot::commandAt).
class CommandGate {
 public:
  struct Hooks {
    /// Called at a command newer than the one that the node waits to resume.
    std::function<void()> endWait;
    /// Called after the pilot was given a command.
    std::function<void()> taken;
  };

  CommandGate(sim::Pilot& pilot, control::CommandWatch& watch, const Frames& frames,
              bool in_lockstep, Hooks hooks);

  /// Calls `command` when a message with this stamp acts.
  void take(sim::CommandKind kind, TimeNs stamp, const std::function<void()>& command);
  /// A subscription that takes messages by their headers' stamps.
  template <class Message>
  ros::Subscriber subscribe(ros::NodeHandle& handle, const std::string& topic,
                            sim::CommandKind kind,
                            std::function<void(const boost::shared_ptr<const Message>&)> on);

  /// Whether an otherwise valid command can be followed; false: it was refused. Call it last, since
  /// it ends a wait.
  bool isOpen(const char* topic);
  /// As isOpen() for services, which need no armed motors and reply by themselves.
  bool hasState();
  /// Whether a command is in the world frame (also without a name); false: it was refused.
  bool isInWorld(const char* topic, const std::string& frame);
  /// Whether a frame is this UAV's base_link.
  bool isBase(const std::string& frame) const;
  /// Whether a frame is the world's or empty. Planners write `world` whatever its name here.
  bool isWorld(const std::string& frame) const;
  void refuse(const char* topic, const std::string& reason);
  void refuseFrame(const char* topic, const std::string& frame, const std::string& allowed);
  /// Call it after the pilot was given a command.
  void taken(const char* topic);

  sim::Pilot& pilot() { return pilot_; }
  control::CommandWatch& watch() { return watch_; }
  const Frames& frames() const { return frames_; }
  /// The state that the controller saw last.
  const KinematicState& state() const { return pilot_.motion(); }
  const control::Reference& reference() const { return pilot_.reference(); }

 private:
  sim::Pilot& pilot_;
  control::CommandWatch& watch_;
  Frames frames_;
  bool in_lockstep_;
  Hooks hooks_;
};

/// Present time for warnings.
WarningTime wallTime();

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
