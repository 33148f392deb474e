#include "marsim/sim/motion_track.hpp"

namespace marsim::sim {

MotionTrack::Effect MotionTrack::push(const VehicleReport& report) {
  const KinematicState& state = report.motion;
  const bool was_placed = report.placements != placements_;
  placements_ = report.placements;
  const bool was_restarted = !history_.empty() && state.stamp < history_.back().stamp;
  if (was_placed || was_restarted) history_.clear();
  const bool begins = history_.empty();
  if (!history_.push(state)) return Effect::kIgnored;
  return begins ? Effect::kBegun : Effect::kContinued;
}

}  // namespace marsim::sim
