// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/command_gate.hpp"

#include <utility>

namespace marsim::ros_nodes {

CommandGate::CommandGate(sim::Pilot& pilot, control::CommandWatch& watch, const Frames& frames,
                         bool in_lockstep, Hooks hooks)
    : CommandInput(pilot, watch, frames.world, frames.base(), std::move(hooks)),
      frames_(frames),
      in_lockstep_(in_lockstep) {}

void CommandGate::take(sim::CommandKind kind, TimeNs stamp, const std::function<void()>& command) {
  if (!in_lockstep_) return command();
  const bool is_near =
      pilot().commandAt(stamp, kind, [command](control::Commander&, TimeNs) { command(); });
  if (is_near) return;
  ROS_WARN_ONCE(
      "a command of %.3f s acts at the next state after %.3f s: it is more than %.1f s "
      "ahead",
      toSeconds(stamp), toSeconds(state().stamp), toSeconds(sim::kFarthestAhead));
}

}  // namespace marsim::ros_nodes
