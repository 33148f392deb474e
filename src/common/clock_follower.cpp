#include "marsim/common/clock_follower.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

constexpr double kGrain = 1e-3;  // [s] that a leader's answers may be off its own clock

double halfTrip(const ClockSample& sample) {
  return 0.5 * toSeconds(sample.received - sample.sent);
}
TimeNs middle(const ClockSample& sample) {
  return sample.sent + (sample.received - sample.sent) / 2;
}

}  // namespace

void ClockFollowerConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.positive("window", window, "s");
  check.notNegative("drift", drift);
  check.positive("time_constant", time_constant, "s");
  check.within("largest_slew", largest_slew, 0.0, 1.0);
  check.positive("leap", leap, "s");
}

ClockFollower::ClockFollower(ClockFollowerConfig config) : config_(config) {
  config_.validate("clock follower");
}

bool ClockFollower::agree(const ClockSample& a, const ClockSample& b) const {
  const double wall = toSeconds(middle(b) - middle(a));
  const double off = toSeconds(b.leader - a.leader) - a.pace * wall;
  return std::abs(off) <=
         a.pace * (halfTrip(a) + halfTrip(b) + config_.drift * std::abs(wall)) + kGrain;
}

bool ClockFollower::observe(const ClockSample& sample) {
  if (sample.received < sample.sent || !(sample.pace >= 0.0) || !std::isfinite(sample.pace)) {
    return false;
  }
  const bool begins = samples_.empty() || samples_.back().run != sample.run;
  if (begins || samples_.back().pace != sample.pace) samples_.clear();
  const TimeNs oldest = sample.received - toNs(config_.window);
  samples_.erase(std::remove_if(samples_.begin(), samples_.end(),
                                [&](const ClockSample& old) {
                                  return old.received < oldest || !agree(old, sample);
                                }),
                 samples_.end());
  samples_.push_back(sample);
  if (begins) {
    base_ = sample.leader;
    wall_ = sample.received;
    now_ = sample.pace * halfTrip(sample);
    error_ = 0.0;
  }
  return begins;
}

const ClockSample& ClockFollower::best(TimeNs wall) const {
  const auto doubt = [&](const ClockSample& sample) {
    return halfTrip(sample) + config_.drift * toSeconds(wall - sample.received);
  };
  return *std::min_element(
      samples_.begin(), samples_.end(),
      [&](const ClockSample& a, const ClockSample& b) { return doubt(a) < doubt(b); });
}

double ClockFollower::leaderAt(TimeNs wall) const {
  const ClockSample& sample = best(wall);
  return toSeconds(sample.leader - base_) + sample.pace * toSeconds(wall - middle(sample));
}

TimeNs ClockFollower::at(TimeNs wall) {
  if (samples_.empty()) return 0;
  const double elapsed = toSeconds(std::max<TimeNs>(0, wall - wall_));
  wall_ = std::max(wall, wall_);
  const double pace = samples_.back().pace;
  error_ = leaderAt(wall_) - (now_ + pace * elapsed);
  if (error_ > config_.leap || (pace == 0.0 && error_ > 0.0)) {
    now_ += pace * elapsed + error_;  // far behind, or the leader makes single steps
  } else if (error_ < -config_.leap) {
    // Far ahead, after a stall of the leader's: wait for it.
  } else {
    const double most = config_.largest_slew * pace * elapsed;
    const double share = std::min(1.0, elapsed / config_.time_constant);
    now_ += pace * elapsed + std::clamp(share * error_, -most, most);
  }
  return base_ + toNs(now_);
}

double ClockFollower::uncertainty(TimeNs wall) const {
  if (samples_.empty()) return std::numeric_limits<double>::infinity();
  const ClockSample& sample = best(wall);
  return halfTrip(sample) + config_.drift * toSeconds(wall - sample.received);
}

}  // namespace marsim
