#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "lidar/patterns/firing_clock.hpp"
#include "lidar/patterns/patterns.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::lidar {
namespace {

using Block = SpinningPatternConfig::Block;
using Channel = SpinningPatternConfig::Channel;

/// All blocks, the configuration's own channels first.
std::vector<Block> blocksOf(const SpinningPatternConfig& config) {
  std::vector<Block> blocks = {{config.channels, config.cycle_period}};
  blocks.insert(blocks.end(), config.more_blocks.begin(), config.more_blocks.end());
  return blocks;
}

std::vector<double> fireTimes(const Block& block) {
  std::vector<double> times;
  for (const Channel& channel : block.channels) times.push_back(channel.fire_time);
  return times;
}

/// Ranks by elevation over all blocks, 0 the lowest; equal elevations in firing order.
std::vector<std::uint16_t> ringsOf(const std::vector<Block>& blocks) {
  std::vector<std::pair<double, std::size_t>> order;
  for (const Block& block : blocks) {
    for (const Channel& channel : block.channels) {
      order.emplace_back(channel.elevation, order.size());
    }
  }
  std::sort(order.begin(), order.end());
  std::vector<std::uint16_t> rings(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    rings[order[rank].second] = static_cast<std::uint16_t>(rank);
  }
  return rings;
}

/// The shots of one block.
class BlockPattern {
 public:
  /// `rings` of the block's channels, in firing order. Columns are counted in cycles of `columns`.
  BlockPattern(const Block& block, double rotation_rate, const std::uint16_t* rings,
               const FiringClock& columns)
      : rotation_rate_(rotation_rate),
        clock_(block.cycle_period, fireTimes(block)),
        columns_(columns) {
    for (const Channel& channel : block.channels) {
      // The head turns on between the start of the column and this channel's shot.
      const double azimuth = channel.azimuth_offset + rotation_rate_ * channel.fire_time;
      beams_.push_back({std::cos(channel.elevation) * std::cos(azimuth),
                        std::cos(channel.elevation) * std::sin(azimuth),
                        std::sin(channel.elevation), *rings++});
    }
  }

  void fire(TimeNs begin, TimeNs end, std::vector<Firing>& firings) const {
    clock_.forEachGroup(begin, end, [&](const FiringClock::Group& group) {
      const double azimuth = rotation_rate_ * group.seconds();
      const double cosine = std::cos(azimuth), sine = std::sin(azimuth);
      for (std::size_t i = group.first; i < group.last; ++i) {
        const Beam& beam = beams_[i];
        const Eigen::Vector3d direction(cosine * beam.x - sine * beam.y,
                                        sine * beam.x + cosine * beam.y, beam.z);
        firings.push_back({clock_.stamp(group, i), direction.cast<float>(), beam.ring, 0,
                           static_cast<std::uint32_t>(clock_.numberIn(columns_, group, i))});
      }
    });
  }

 private:
  struct Beam {
    double x, y, z;  // direction in the column's frame
    std::uint16_t ring;
  };

  double rotation_rate_;
  FiringClock clock_;
  FiringClock columns_;
  std::vector<Beam> beams_;
};

class SpinningPattern : public ScanPattern {
 public:
  explicit SpinningPattern(const SpinningPatternConfig& config) {
    const std::vector<Block> blocks = blocksOf(config);
    const std::vector<std::uint16_t> rings = ringsOf(blocks);
    // The period of the quickest block, so that no channel fires twice in a column.
    double column_period = config.cycle_period;
    for (const Block& block : blocks) column_period = std::min(column_period, block.cycle_period);
    const FiringClock columns(column_period, {0.0});
    for (const Block& block : blocks) {
      blocks_.emplace_back(block, config.rotation_rate, rings.data() + rings_, columns);
      rings_ += block.channels.size();
      points_per_second_ += static_cast<double>(block.channels.size()) / block.cycle_period;
    }
  }

  void fire(TimeNs begin, TimeNs end, std::vector<Firing>& firings) const override {
    const auto start = static_cast<std::ptrdiff_t>(firings.size());
    for (const BlockPattern& block : blocks_) {
      const auto middle = static_cast<std::ptrdiff_t>(firings.size());
      block.fire(begin, end, firings);
      std::inplace_merge(firings.begin() + start, firings.begin() + middle, firings.end(),
                         [](const Firing& a, const Firing& b) { return a.stamp < b.stamp; });
    }
  }

  double pointsPerSecond() const override { return points_per_second_; }
  std::uint16_t rings() const override { return static_cast<std::uint16_t>(rings_); }

 private:
  std::vector<BlockPattern> blocks_;
  std::size_t rings_ = 0;
  double points_per_second_ = 0.0;
};

void validateBlock(const Block& block, const std::string& where, const std::string& field) {
  const Validator check(where);
  check.within(field + ".cycle_period", block.cycle_period, 1.0 / kPointsPerSecondMax, 1.0, "s");
  check.require(!block.channels.empty() && block.channels.size() <= 65535, field + ".channels",
                fmt::format("a list of {}", block.channels.size()), "1 to 65535 channels");
  double earliest = 0.0;
  for (std::size_t i = 0; i < block.channels.size(); ++i) {
    const Channel& channel = block.channels[i];
    const std::string name = fmt::format("{}.channels[{}]", field, i);
    check.within(name + ".elevation", channel.elevation, -kPi / 2.0, kPi / 2.0, "rad");
    check.finite(name + ".azimuth_offset", channel.azimuth_offset, "rad");
    check.require(channel.fire_time >= earliest && channel.fire_time < block.cycle_period,
                  name + ".fire_time", fmt::format("{} s", channel.fire_time),
                  fmt::format("{} s (the channel before) or later, below the cycle period of {} s",
                              earliest, block.cycle_period));
    earliest = channel.fire_time;
  }
}

}  // namespace

void validateKind(const SpinningPatternConfig& config, const std::string& where) {
  Validator(where).within("pattern.rotation_rate", config.rotation_rate, -kTurningSpeedMax,
                          kTurningSpeedMax, "rad/s");
  // The file says `blocks:` where there are several.
  const std::vector<Block> blocks = blocksOf(config);
  std::size_t channels = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    validateBlock(blocks[i], where,
                  blocks.size() == 1 ? "pattern" : fmt::format("pattern.blocks[{}]", i));
    channels += blocks[i].channels.size();
  }
  Validator(where).require(channels <= 65535, "pattern.blocks",
                           fmt::format("{} channels", channels), "65535 channels at most");
}

std::unique_ptr<ScanPattern> makeKind(const SpinningPatternConfig& config) {
  return std::make_unique<SpinningPattern>(config);
}

}  // namespace marsim::lidar
