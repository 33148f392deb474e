#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "firing_clock.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "patterns.hpp"

namespace marsim::lidar {
namespace {

std::vector<double> fireTimes(const SpinningPatternConfig& config) {
  std::vector<double> times;
  for (const auto& channel : config.channels) times.push_back(channel.fire_time);
  return times;
}

class SpinningPattern : public ScanPattern {
 public:
  explicit SpinningPattern(const SpinningPatternConfig& config)
      : cycle_period_(config.cycle_period),
        rotation_rate_(config.rotation_rate),
        clock_(config.cycle_period, fireTimes(config)) {
    for (std::size_t i = 0; i < config.channels.size(); ++i) {
      const auto& channel = config.channels[i];
      // The head turns on between the start of the column and this channel's shot.
      const double azimuth = channel.azimuth_offset + rotation_rate_ * channel.fire_time;
      channels_.push_back({std::cos(channel.elevation) * std::cos(azimuth),
                           std::cos(channel.elevation) * std::sin(azimuth),
                           std::sin(channel.elevation), ringOf(config, i)});
    }
  }

  void fire(TimeNs begin, TimeNs end, std::vector<Firing>& firings) const override {
    clock_.forEachGroup(begin, end, [&](const FiringClock::Group& group) {
      const double azimuth = rotation_rate_ * group.seconds();
      const double cosine = std::cos(azimuth), sine = std::sin(azimuth);
      for (std::size_t i = group.first; i < group.last; ++i) {
        const Channel& channel = channels_[i];
        const Eigen::Vector3d direction(cosine * channel.x - sine * channel.y,
                                        sine * channel.x + cosine * channel.y, channel.z);
        firings.push_back({clock_.stamp(group, i), direction.cast<float>(), channel.ring, 0,
                           static_cast<std::uint32_t>(group.number)});
      }
    });
  }

  double pointsPerSecond() const override {
    return static_cast<double>(channels_.size()) / cycle_period_;
  }
  std::uint16_t rings() const override { return static_cast<std::uint16_t>(channels_.size()); }

 private:
  struct Channel {
    double x, y, z;  // direction in the column's frame
    std::uint16_t ring;
  };

  // Rank by elevation, 0 the lowest; equal elevations in firing order.
  static std::uint16_t ringOf(const SpinningPatternConfig& config, std::size_t index) {
    std::uint16_t ring = 0;
    const auto key = [&](std::size_t i) { return std::pair(config.channels[i].elevation, i); };
    for (std::size_t i = 0; i < config.channels.size(); ++i) {
      if (key(i) < key(index)) ++ring;
    }
    return ring;
  }

  double cycle_period_;
  double rotation_rate_;
  FiringClock clock_;
  std::vector<Channel> channels_;
};

}  // namespace

void validateSpinning(const SpinningPatternConfig& config, const std::string& where) {
  const Validator check(where);
  check.within("pattern.cycle_period", config.cycle_period, 1.0 / kPointsPerSecondMax, 1.0, "s");
  check.within("pattern.rotation_rate", config.rotation_rate, -kTurningSpeedMax, kTurningSpeedMax,
               "rad/s");
  check.require(!config.channels.empty() && config.channels.size() <= 65535, "pattern.channels",
                fmt::format("a list of {}", config.channels.size()), "1 to 65535 channels");
  double earliest = 0.0;
  for (std::size_t i = 0; i < config.channels.size(); ++i) {
    const auto& channel = config.channels[i];
    const std::string field = fmt::format("pattern.channels[{}]", i);
    check.within(field + ".elevation", channel.elevation, -kPi / 2.0, kPi / 2.0, "rad");
    check.finite(field + ".azimuth_offset", channel.azimuth_offset, "rad");
    check.require(channel.fire_time >= earliest && channel.fire_time < config.cycle_period,
                  field + ".fire_time", fmt::format("{} s", channel.fire_time),
                  fmt::format("{} s (the channel before) or later, below the cycle period of {} s",
                              earliest, config.cycle_period));
    earliest = channel.fire_time;
  }
}

std::unique_ptr<ScanPattern> makeSpinningPattern(const SpinningPatternConfig& config) {
  return std::make_unique<SpinningPattern>(config);
}

}  // namespace marsim::lidar
