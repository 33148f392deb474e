// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lidar/patterns/firing_clock.hpp"
#include "lidar/patterns/optics.hpp"
#include "lidar/patterns/patterns.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::lidar {
namespace {

class RisleyPattern : public ScanPattern {
 public:
  explicit RisleyPattern(const RisleyPatternConfig& config)
      : config_(config),
        clock_(FiringClock::ofLines(config.points_per_second, config.beam_angles.size(),
                                    config.lines_fire_together)),
        prisms_(config.prisms.begin(), config.prisms.end()) {
    for (const double angle : config.beam_angles) {
      beams_.emplace_back(std::cos(angle), 0.0, std::sin(angle));
    }
  }

  void fire(TimeNs begin, TimeNs end, std::vector<Firing>& firings) const override {
    std::vector<PrismFaces> prisms;
    clock_.forEachGroup(begin, end, [&](const FiringClock::Group& group) {
      if (config_.lines_fire_together) turnPrisms(group.seconds(), prisms);
      for (std::size_t line = group.first; line < group.last; ++line) {
        const TimeNs stamp = clock_.stamp(group, line);
        if (!config_.lines_fire_together) turnPrisms(toSeconds(stamp), prisms);
        Eigen::Vector3d beam = beams_[line];
        const bool leaves = std::all_of(prisms.begin(), prisms.end(),
                                        [&](const PrismFaces& prism) { return prism.pass(beam); });
        if (!leaves) continue;  // totally reflected inside a prism
        firings.push_back({stamp, beam.cast<float>(), static_cast<std::uint16_t>(line),
                           static_cast<std::uint8_t>(line),
                           static_cast<std::uint32_t>(group.number)});
      }
    });
  }

  double pointsPerSecond() const override { return config_.points_per_second; }
  std::uint16_t rings() const override { return static_cast<std::uint16_t>(beams_.size()); }

 private:
  void turnPrisms(double time, std::vector<PrismFaces>& prisms) const {
    prisms.clear();
    for (const PrismShape& prism : prisms_) prisms.emplace_back(prism, time);
  }

  RisleyPatternConfig config_;
  FiringClock clock_;
  std::vector<PrismShape> prisms_;
  std::vector<Eigen::Vector3d> beams_;
};

}  // namespace

void declareBeams(Settings& settings, double& points_per_second, std::vector<double>& beam_angles) {
  settings.required("points_per_second", points_per_second, "Hz", {1.0, kPointsPerSecondMax});
  settings.optional("beam_angles", beam_angles, "rad", {-kPi / 4.0, kPi / 4.0});
}

void requireBeams(const std::vector<double>& beam_angles, const std::string& where) {
  Validator(where).require(!beam_angles.empty() && beam_angles.size() <= 255, "pattern.beam_angles",
                           fmt::format("a list of {}", beam_angles.size()), "1 to 255 angles");
}

void RotatingPrism::declare(Settings& settings) {
  settings.required("speed", speed, "rad/s", kTurningSpeeds);
  settings.required("wedge_angle", wedge_angle, "rad", {-kPi / 3.0, kPi / 3.0});
  settings.optional("refractive_index", refractive_index, "", {1.0, 4.0});
  settings.optional("phase", phase, "rad");
}

void RisleyPatternConfig::declare(Settings& settings) {
  declareBeams(settings, points_per_second, beam_angles);
  settings.optional("lines_fire_together", lines_fire_together);
  settings.required("prisms", prisms);
}

void validateKind(const RisleyPatternConfig& config, const std::string& where) {
  checkSettings(where, config, "pattern.");
  requireBeams(config.beam_angles, where);
  Validator(where).require(!config.prisms.empty(), "pattern.prisms", "empty", "at least one prism");
}

std::unique_ptr<ScanPattern> makeKind(const RisleyPatternConfig& config) {
  return std::make_unique<RisleyPattern>(config);
}

}  // namespace marsim::lidar
