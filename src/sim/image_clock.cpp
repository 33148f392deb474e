// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/image_clock.hpp"

#include <algorithm>
#include <cmath>

namespace marsim::sim {

std::vector<ImageClock::Instant> ImageClock::take(const VehicleReport& report) {
  std::vector<Instant> due;
  const MotionTrack::Effect effect = motion_.push(report);
  if (effect == MotionTrack::Effect::kIgnored) return due;
  StateHistory& history = motion_.history();
  const TimeNs now = history.back().stamp;
  if (effect == MotionTrack::Effect::kBegun) {
    next_ = std::llround(std::ceil(toSeconds(now) * rate_));
  }
  TimeNs time = toNs(static_cast<double>(next_) / rate_);
  for (; time + after_ <= now; time = toNs(static_cast<double>(++next_) / rate_)) {
    const auto stamp = clock_.stampOf(time);
    // Before time 0 the vehicle stands at its start.
    if (stamp && history.covers(std::max(time - before_, TimeNs{0}), time + after_)) {
      due.push_back({time, history.poseAt(time), history, *stamp});
    }
  }
  history.discardBefore(std::min(now, time - std::max(before_, kept_)));
  return due;
}

}  // namespace marsim::sim
