#include "marsim/ros/received_motion.hpp"

#include "marsim/ros/conversions.hpp"

namespace marsim::ros_nodes {

ReceivedMotion::Effect ReceivedMotion::push(const marsim::VehicleState& message) {
  const KinematicState state = fromMessage(message);
  const bool was_placed = message.placements != placements_;
  placements_ = message.placements;
  const bool was_restarted = !history_.empty() && state.stamp < history_.back().stamp;
  if (was_placed || was_restarted) history_.clear();
  const bool begins = history_.empty();
  if (!history_.push(state)) return Effect::kIgnored;
  return begins ? Effect::kBegun : Effect::kContinued;
}

}  // namespace marsim::ros_nodes
