// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/command_gate.hpp"

#include <utility>

#include <fmt/format.h>

#include "common/text.hpp"

namespace marsim::ros_nodes {

CommandGate::CommandGate(sim::Pilot& pilot, control::CommandWatch& watch, const Frames& frames,
                         bool in_lockstep, Hooks hooks)
    : pilot_(pilot),
      watch_(watch),
      frames_(frames),
      in_lockstep_(in_lockstep),
      hooks_(std::move(hooks)) {}

void CommandGate::take(sim::CommandKind kind, TimeNs stamp, const std::function<void()>& command) {
  if (!in_lockstep_) return command();
  const bool is_near =
      pilot_.commandAt(stamp, kind, [command](control::Commander&, TimeNs) { command(); });
  if (is_near) return;
  ROS_WARN_ONCE(
      "a command of %.3f s acts at the next state after %.3f s: it is more than %.1f s "
      "ahead",
      toSeconds(stamp), toSeconds(state().stamp), toSeconds(sim::kFarthestAhead));
}

bool CommandGate::isOpen(const char* topic) {
  if (!hasState()) {
    refuse(topic, "no state of the vehicle received yet");
    return false;
  }
  if (pilot_.isLost()) {
    refuse(topic, "the estimate that it flies on is lost");
    return false;
  }
  if (!pilot_.isArmed()) {
    refuse(topic, "the motors are disarmed (services arm and take_off)");
    return false;
  }
  return true;
}

bool CommandGate::hasState() {
  hooks_.endWait();
  return pilot_.report().has_value();
}

bool CommandGate::isInWorld(const char* topic, const std::string& frame) {
  if (isWorld(frame)) return true;
  refuseFrame(topic, frame, "");
  return false;
}

bool CommandGate::isBase(const std::string& frame) const { return isFrame(frame, frames_.base()); }

bool CommandGate::isWorld(const std::string& frame) const {
  return isWorldFrame(frame, frames_.world) || isFrame(frame, "world");
}

void CommandGate::refuse(const char* topic, const std::string& reason) {
  watch_.refused(topic, reason, wallTime());
}

// `allowed`: a frame other than the world frame, which is named first.
void CommandGate::refuseFrame(const char* topic, const std::string& frame,
                              const std::string& allowed) {
  const std::string world = frames_.world == "world" ? "" : fmt::format("'{}', ", frames_.world);
  watch_.refusedAlways(topic,
                       fmt::format("header.frame_id is '{}', allowed: {}{}'world' or empty",
                                   clipped(frame), allowed, world),
                       wallTime());
}

void CommandGate::taken(const char* topic) {
  watch_.taken(topic, state().stamp, wallTime());
  hooks_.taken();
}

WarningTime wallTime() { return WarningTime::clock::now(); }

}  // namespace marsim::ros_nodes
