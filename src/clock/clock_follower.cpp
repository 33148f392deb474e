// SPDX-License-Identifier: BSD-3-Clause
#include "clock/clock_follower.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

constexpr double kRounding = 1e-6;            // [s]
constexpr TimeNs kRateWindow = kNsPerSecond;  // over which the leader's rate is measured,
constexpr std::size_t kFewReadings = 3;       // with at least this many answers
constexpr std::size_t kMostReadings = 100;
constexpr double kLargestPace = 1e6;            // largest pace
constexpr TimeNs kShortest = kRateWindow / 10;  // shorter spans tell nothing about a rate

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
  if (sample.received < sample.sent || !(sample.pace >= 0.0 && sample.pace <= kLargestPace)) {
    return false;
  }
  const bool begins = samples_.empty() || samples_.back().run != sample.run;
  if (begins) {
    samples_.clear();
    readings_.clear();
  }
  const TimeNs oldest = sample.received - toNs(config_.window);
  samples_.erase(std::remove_if(samples_.begin(), samples_.end(),
                                [&](const ClockSample& old) {
                                  return old.received < oldest || !agree(old, sample);
                                }),
                 samples_.end());
  samples_.push_back(sample);
  keepReading(sample);
  newest_ = sample.received;
  offset_ = best().leader_wall - middle(best());
  measureRate();
  if (begins) {
    base_ = sample.leader;
    wall_ = sample.received;
    now_ = sample.pace * halfTrip(sample);
    error_ = 0.0;
  }
  return begins;
}

const ClockSample& ClockFollower::best() const {
  const auto doubt = [&](const ClockSample& sample) {  // at the newest answer
    return halfTrip(sample) + config_.drift * toSeconds(newest_ - sample.received);
  };
  return *std::min_element(
      samples_.begin(), samples_.end(),
      [&](const ClockSample& a, const ClockSample& b) { return doubt(a) < doubt(b); });
}

void ClockFollower::keepReading(const ClockSample& sample) {
  const auto after =
      std::upper_bound(readings_.begin(), readings_.end(), sample.leader_wall,
                       [](TimeNs wall, const Reading& reading) { return wall < reading.wall; });
  readings_.insert(after, {sample.leader_wall, sample.leader, sample.pace});
  if (readings_.size() > kMostReadings) readings_.pop_front();
}

// A busy leader is slower than its pace; no leader is faster.
void ClockFollower::measureRate() {
  const Reading& last = readings_.back();
  std::size_t first = readings_.size() - 1;
  const auto counts = [&](std::size_t i) {
    const bool recent = readings_[i].wall >= last.wall - kRateWindow;
    return readings_[i].pace == last.pace && (recent || i + kFewReadings >= readings_.size());
  };
  while (first > 0 && counts(first - 1)) --first;
  const TimeNs wall = last.wall - readings_[first].wall;
  rate_span_ = std::max(wall, kRateWindow);
  rate_ = wall < kShortest
              ? last.pace
              : std::clamp(toSeconds(last.time - readings_[first].time) / toSeconds(wall), 0.0,
                           last.pace);
}

double ClockFollower::leaderAt(TimeNs wall) const {
  const Reading& last = readings_.back();
  const TimeNs since = wall + offset_ - last.wall, trusted = std::min(since, rate_span_);
  return toSeconds(last.time - base_) + rate_ * toSeconds(trusted) +
         last.pace * toSeconds(since - trusted);
}

TimeNs ClockFollower::at(TimeNs wall) {
  if (samples_.empty()) return 0;
  const double elapsed = toSeconds(std::max<TimeNs>(0, wall - wall_));
  wall_ = std::max(wall, wall_);
  const Reading& last = readings_.back();
  const double pace = last.pace;
  const double rate = wall_ + offset_ - last.wall < rate_span_ ? rate_ : pace;
  const double expected = now_ + rate * elapsed;
  error_ = leaderAt(wall_) - expected;
  if (error_ > config_.leap || (pace == 0.0 && error_ > 0.0)) {
    now_ = expected + error_;  // far behind, or the leader makes single steps
  } else if (error_ < -config_.leap) {
    // Far ahead, after a stall of the leader: waits for it.
  } else {
    const double slew = config_.largest_slew * pace * elapsed;
    const double share = std::min(1.0, elapsed / config_.time_constant);
    const double change = std::clamp(share * error_, -slew, slew + (pace - rate) * elapsed);
    now_ = std::max(now_, expected + change);
  }
  return base_ + toNs(now_);
}

double ClockFollower::uncertainty(TimeNs wall) const {
  if (samples_.empty()) return std::numeric_limits<double>::infinity();
  const ClockSample& sample = best();
  return halfTrip(sample) + config_.drift * toSeconds(wall - sample.received);
}

}  // namespace marsim
