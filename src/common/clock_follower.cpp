#include "marsim/common/clock_follower.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

constexpr double kRounding = 1e-6;              // [s]
constexpr TimeNs kRateWindow = kNsPerSecond;    // over which the leader's rate is measured
constexpr TimeNs kShortest = kRateWindow / 10;  // less says nothing about a rate

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
  const TimeNs wall = middle(b) - middle(a);
  const double off = toSeconds(b.leader_wall - a.leader_wall - wall);
  return std::abs(off) <=
         halfTrip(a) + halfTrip(b) + config_.drift * std::abs(toSeconds(wall)) + kRounding;
}

bool ClockFollower::observe(const ClockSample& sample) {
  if (sample.received < sample.sent || !(sample.pace >= 0.0) || !std::isfinite(sample.pace)) {
    return false;
  }
  const bool begins = samples_.empty() || samples_.back().run != sample.run;
  if (begins) samples_.clear();
  const TimeNs oldest = sample.received - toNs(config_.window);
  samples_.erase(std::remove_if(samples_.begin(), samples_.end(),
                                [&](const ClockSample& old) {
                                  return old.received < oldest || !agree(old, sample);
                                }),
                 samples_.end());
  samples_.insert(std::upper_bound(samples_.begin(), samples_.end(), sample,
                                   [](const ClockSample& a, const ClockSample& b) {
                                     return a.leader_wall < b.leader_wall;
                                   }),
                  sample);
  newest_ = sample.received;
  offset_ = best().leader_wall - middle(best());
  rate_ = measuredRate();
  if (begins) {
    base_ = sample.leader;
    wall_ = sample.received;
    now_ = sample.pace * halfTrip(sample);
    error_ = 0.0;
  }
  return begins;
}

const ClockSample& ClockFollower::best() const {
  const auto doubt = [&](const ClockSample& sample) {  // as of the newest answer
    return halfTrip(sample) + config_.drift * toSeconds(newest_ - sample.received);
  };
  return *std::min_element(
      samples_.begin(), samples_.end(),
      [&](const ClockSample& a, const ClockSample& b) { return doubt(a) < doubt(b); });
}

// A busy leader is slower than its pace; none is faster.
double ClockFollower::measuredRate() const {
  const ClockSample& last = samples_.back();
  const auto first = std::find_if(samples_.begin(), samples_.end(), [&](const ClockSample& sample) {
    return sample.leader_wall >= last.leader_wall - kRateWindow && sample.pace == last.pace;
  });
  const TimeNs wall = last.leader_wall - first->leader_wall;
  if (wall < kShortest) return last.pace;
  return std::clamp(toSeconds(last.leader - first->leader) / toSeconds(wall), 0.0, last.pace);
}

double ClockFollower::leaderAt(TimeNs wall) const {
  const ClockSample& last = samples_.back();
  return toSeconds(last.leader - base_) + rate_ * toSeconds(wall + offset_ - last.leader_wall);
}

TimeNs ClockFollower::at(TimeNs wall) {
  if (samples_.empty()) return 0;
  const double elapsed = toSeconds(std::max<TimeNs>(0, wall - wall_));
  wall_ = std::max(wall, wall_);
  const double pace = samples_.back().pace;
  const double expected = now_ + rate_ * elapsed;
  error_ = leaderAt(wall_) - expected;
  if (error_ > config_.leap || (pace == 0.0 && error_ > 0.0)) {
    now_ = expected + error_;  // far behind, or the leader makes single steps
  } else if (error_ < -config_.leap) {
    // Far ahead, after a stall of the leader's: wait for it.
  } else {
    const double most = config_.largest_slew * pace * elapsed;
    const double share = std::min(1.0, elapsed / config_.time_constant);
    now_ = std::max(now_, expected + std::clamp(share * error_, -most, most));
  }
  return base_ + toNs(now_);
}

double ClockFollower::uncertainty(TimeNs wall) const {
  if (samples_.empty()) return std::numeric_limits<double>::infinity();
  const ClockSample& sample = best();
  return halfTrip(sample) + config_.drift * toSeconds(wall - sample.received);
}

}  // namespace marsim
