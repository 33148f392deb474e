// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "lidar/patterns/firing_clock.hpp"
#include "lidar/patterns/optics.hpp"
#include "lidar/patterns/patterns.hpp"
#include "marsim/common/units.hpp"

namespace marsim::lidar {
namespace {

// The prism's own frame has its optical axis along +x; here that axis is the body's +z.
// Cyclic: (x, y, z) in the body is (z, x, y) in the prism's frame.
Eigen::Vector3d bodyToPrism(const Eigen::Vector3d& v) { return {v.z(), v.x(), v.y()}; }
Eigen::Vector3d prismToBody(const Eigen::Vector3d& v) { return {v.y(), v.z(), v.x()}; }

class Mid360Pattern : public ScanPattern {
 public:
  explicit Mid360Pattern(const Mid360PatternConfig& config)
      : config_(config),
        prism_(config.prism),
        across_(std::sin(config.mirror_tilt)),
        along_(-std::cos(config.mirror_tilt)),
        clock_(FiringClock::ofLines(config.points_per_second, config.beam_angles.size(), false)) {
    for (const double angle : config.beam_angles) {
      beams_.push_back(
          bodyToPrism({std::sin(angle) * std::cos(config.fan_azimuth),
                       std::sin(angle) * std::sin(config.fan_azimuth), std::cos(angle)}));
    }
  }

  void fire(TimeNs begin, TimeNs end, std::vector<Firing>& firings) const override {
    clock_.forEachGroup(begin, end, [&](const FiringClock::Group& group) {
      const double time = group.seconds();
      const PrismFaces prism(prism_, time);
      const double mirror = config_.mirror_speed * time + config_.mirror_phase;
      const Eigen::Vector3d normal(across_ * std::cos(mirror), across_ * std::sin(mirror), along_);
      for (std::size_t line = group.first; line < group.last; ++line) {
        Eigen::Vector3d refracted = beams_[line];
        if (!prism.pass(refracted)) continue;  // totally reflected inside the prism
        const Eigen::Vector3d beam = prismToBody(refracted);
        const Eigen::Vector3d direction = beam - 2.0 * beam.dot(normal) * normal;
        firings.push_back({clock_.stamp(group, line), direction.cast<float>(),
                           static_cast<std::uint16_t>(line), static_cast<std::uint8_t>(line),
                           static_cast<std::uint32_t>(group.number)});
      }
    });
  }

  double pointsPerSecond() const override { return config_.points_per_second; }
  std::uint16_t rings() const override { return static_cast<std::uint16_t>(beams_.size()); }

 private:
  Mid360PatternConfig config_;
  PrismShape prism_;
  double across_, along_;  // of the mirror's normal: across the axis and along it
  FiringClock clock_;
  std::vector<Eigen::Vector3d> beams_;  // in the prism's frame
};

}  // namespace

void Mid360PatternConfig::declare(Settings& settings) {
  declareBeams(settings, points_per_second, beam_angles);
  settings.optional("fan_azimuth", fan_azimuth, "rad");
  settings.required("prism", prism);
  settings.required("mirror", [&](Settings& mirror) {
    mirror.required("speed", mirror_speed, "rad/s", kTurningSpeeds);
    mirror.required("tilt", mirror_tilt, "rad", {0.0, kPi / 2.0});
    mirror.optional("phase", mirror_phase, "rad");
  });
}

void validateKind(const Mid360PatternConfig& config, const std::string& where) {
  checkSettings(where, config, "pattern.");
  requireBeams(config.beam_angles, where);
}

std::unique_ptr<ScanPattern> makeKind(const Mid360PatternConfig& config) {
  return std::make_unique<Mid360Pattern>(config);
}

}  // namespace marsim::lidar
