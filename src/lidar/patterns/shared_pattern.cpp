// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/patterns/shared_pattern.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace marsim::lidar {
namespace {

bool same(const RotatingPrism& a, const RotatingPrism& b) {
  return std::tie(a.speed, a.wedge_angle, a.refractive_index, a.phase) ==
         std::tie(b.speed, b.wedge_angle, b.refractive_index, b.phase);
}

bool same(const RisleyPatternConfig& a, const RisleyPatternConfig& b) {
  return std::equal(a.prisms.begin(), a.prisms.end(), b.prisms.begin(), b.prisms.end(),
                    [](const RotatingPrism& x, const RotatingPrism& y) { return same(x, y); }) &&
         std::tie(a.beam_angles, a.points_per_second, a.lines_fire_together) ==
             std::tie(b.beam_angles, b.points_per_second, b.lines_fire_together);
}

bool same(const Mid360PatternConfig& a, const Mid360PatternConfig& b) {
  return same(a.prism, b.prism) &&
         std::tie(a.points_per_second, a.beam_angles, a.fan_azimuth, a.mirror_speed, a.mirror_phase,
                  a.mirror_tilt) == std::tie(b.points_per_second, b.beam_angles, b.fan_azimuth,
                                             b.mirror_speed, b.mirror_phase, b.mirror_tilt);
}

/// The latest shots of a pattern.
class Shots {
 public:
  explicit Shots(const PatternConfig& config) : config_(config), pattern_(makePattern(config)) {}

  const PatternConfig& config() const { return config_; }
  const ScanPattern& pattern() const { return *pattern_; }

  using Firings = std::shared_ptr<const std::vector<Firing>>;
  Firings during(TimeNs begin, TimeNs end) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const Interval& interval : latest_) {
      if (interval.firings && interval.begin == begin && interval.end == end) {
        return interval.firings;
      }
    }
    const auto firings = std::make_shared<std::vector<Firing>>();
    pattern_->fire(begin, end, *firings);
    std::rotate(latest_.begin(), latest_.end() - 1, latest_.end());
    latest_.front() = {begin, end, firings};
    return firings;
  }

 private:
  struct Interval {
    TimeNs begin = 0, end = 0;
    Firings firings;
  };
  const PatternConfig config_;
  const std::unique_ptr<ScanPattern> pattern_;
  std::mutex mutex_;
  std::array<Interval, 4> latest_;  // a slow sensor is at most that many scans behind another
};

/// The shots of an equal pattern, if another sensor has one.
template <class Config>
std::shared_ptr<Shots> shotsOf(const Config& config) {
  static std::mutex mutex;
  static std::vector<std::weak_ptr<Shots>> known;
  const std::lock_guard<std::mutex> lock(mutex);
  known.erase(std::remove_if(known.begin(), known.end(),
                             [](const std::weak_ptr<Shots>& shots) { return shots.expired(); }),
              known.end());
  for (const std::weak_ptr<Shots>& one : known) {
    const std::shared_ptr<Shots> shots = one.lock();
    if (shots && same(std::get<Config>(shots->config()), config)) return shots;
  }
  auto shots = std::make_shared<Shots>(config);
  known.push_back(shots);
  return shots;
}

class SharedPattern : public ScanPattern {
 public:
  explicit SharedPattern(std::shared_ptr<Shots> shots) : shots_(std::move(shots)) {}

  void fire(TimeNs begin, TimeNs end, std::vector<Firing>& firings) const override {
    const bool alone = shots_.use_count() == 1;
    if (alone) {
      shots_->pattern().fire(begin, end, firings);
    } else {
      const Shots::Firings shared = shots_->during(begin, end);
      firings.insert(firings.end(), shared->begin(), shared->end());
    }
  }
  double pointsPerSecond() const override { return shots_->pattern().pointsPerSecond(); }
  std::uint16_t rings() const override { return shots_->pattern().rings(); }
  bool hasOrigins() const override { return shots_->pattern().hasOrigins(); }

 private:
  std::shared_ptr<Shots> shots_;
};

}  // namespace

// Patterns of other kinds are not shared: a shot costs no more than a step through a table.
std::unique_ptr<ScanPattern> sharePattern(const PatternConfig& config) {
  if (const auto* risley = std::get_if<RisleyPatternConfig>(&config)) {
    return std::make_unique<SharedPattern>(shotsOf(*risley));
  }
  if (const auto* mid360 = std::get_if<Mid360PatternConfig>(&config)) {
    return std::make_unique<SharedPattern>(shotsOf(*mid360));
  }
  return makePattern(config);
}

}  // namespace marsim::lidar
