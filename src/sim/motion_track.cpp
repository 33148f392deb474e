// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/motion_track.hpp"

namespace marsim::sim {

namespace {

constexpr TimeNs kLongestGap = 10 * kNsPerSecond;  // longer gaps break the motion

}  // namespace

MotionTrack::Effect MotionTrack::push(const VehicleReport& report) {
  const KinematicState& state = report.motion;
  const bool was_placed = report.placements != placements_;
  placements_ = report.placements;
  const bool was_restarted =
      !history_.empty() &&
      (state.stamp < history_.back().stamp || state.stamp > history_.back().stamp + kLongestGap);
  if (was_placed || was_restarted) history_.clear();
  const bool begins = history_.empty();
  if (!history_.push(state)) return Effect::kIgnored;
  return begins ? Effect::kBegun : Effect::kContinued;
}

}  // namespace marsim::sim
