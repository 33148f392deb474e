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

void validateBeams(double points_per_second, const std::vector<double>& beam_angles,
                   const std::string& where) {
  const Validator check(where);
  check.within("pattern.points_per_second", points_per_second, 1.0, kPointsPerSecondMax, "Hz");
  check.require(!beam_angles.empty() && beam_angles.size() <= 255, "pattern.beam_angles",
                fmt::format("a list of {}", beam_angles.size()), "1 to 255 angles");
  for (std::size_t i = 0; i < beam_angles.size(); ++i) {
    check.within(fmt::format("pattern.beam_angles[{}]", i), beam_angles[i], -kPi / 4.0, kPi / 4.0,
                 "rad");
  }
}

void validatePrism(const RotatingPrism& prism, const std::string& where, const std::string& field) {
  const Validator check(where);
  check.within(field + ".speed", prism.speed, -kTurningSpeedMax, kTurningSpeedMax, "rad/s");
  check.within(field + ".wedge_angle", prism.wedge_angle, -kPi / 3.0, kPi / 3.0, "rad");
  check.within(field + ".refractive_index", prism.refractive_index, 1.0, 4.0);
  check.finite(field + ".phase", prism.phase, "rad");
}

void validateKind(const RisleyPatternConfig& config, const std::string& where) {
  const Validator check(where);
  validateBeams(config.points_per_second, config.beam_angles, where);
  check.require(!config.prisms.empty(), "pattern.prisms", "empty", "at least one prism");
  for (std::size_t i = 0; i < config.prisms.size(); ++i) {
    validatePrism(config.prisms[i], where, fmt::format("pattern.prisms[{}]", i));
  }
}

std::unique_ptr<ScanPattern> makeKind(const RisleyPatternConfig& config) {
  return std::make_unique<RisleyPattern>(config);
}

}  // namespace marsim::lidar
