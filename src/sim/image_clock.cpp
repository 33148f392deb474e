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
  TimeNs stamp = toNs(static_cast<double>(next_) / rate_);
  for (; stamp + after_ <= now; stamp = toNs(static_cast<double>(++next_) / rate_)) {
    // Before time 0 the vehicle stands at its start.
    if (history.covers(std::max(stamp - before_, TimeNs{0}), stamp + after_)) {
      due.push_back({stamp, history.poseAt(stamp), history});
    }
  }
  history.discardBefore(std::min(now, stamp - std::max(before_, kept_)));
  return due;
}

}  // namespace marsim::sim
