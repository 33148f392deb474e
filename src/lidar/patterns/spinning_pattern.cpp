// SPDX-License-Identifier: BSD-3-Clause
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

constexpr std::size_t kShotsOfCycleMax = 1'000'000;

/// All blocks, the configuration's own channels first.
std::vector<Block> blocksOf(const SpinningPatternConfig& config) {
  std::vector<Block> blocks = {{config.channels, config.cycle_period, config.start_times}};
  blocks.insert(blocks.end(), config.more_blocks.begin(), config.more_blocks.end());
  return blocks;
}

/// Fire times of all shots of a cycle.
std::vector<double> fireTimes(const Block& block) {
  std::vector<double> times;
  for (const double start : block.start_times) {
    for (const Channel& channel : block.channels) times.push_back(start + channel.fire_time);
  }
  return times;
}

/// The least time between two firings of a channel.
double leastPeriod(const Block& block) {
  const std::vector<double>& starts = block.start_times;
  double least = block.cycle_period - starts.back() + starts.front();
  for (std::size_t i = 1; i < starts.size(); ++i)
    least = std::min(least, starts[i] - starts[i - 1]);
  return least;
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
  /// `rings` of the block's channels, in firing order. Columns count cycles of `columns`.
  BlockPattern(const Block& block, double rotation_rate, double lens_radius,
               const std::uint16_t* rings, const FiringClock& columns)
      : rotation_rate_(rotation_rate),
        clock_(block.cycle_period, fireTimes(block)),
        columns_(columns) {
    for (const double start : block.start_times) {
      for (std::size_t i = 0; i < block.channels.size(); ++i) {
        const Channel& channel = block.channels[i];
        // The head turns on between the start of the column and this channel's shot.
        const double head = rotation_rate_ * (start + channel.fire_time);
        beams_.push_back(beamOf(channel, head, lens_radius));
        beams_.back().ring = rings[i];
      }
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
        const Eigen::Vector3d& o = beam.origin;
        const Eigen::Vector3d origin(cosine * o.x() - sine * o.y(), sine * o.x() + cosine * o.y(),
                                     o.z());
        firings.push_back({clock_.stamp(group, i), direction.cast<float>(), beam.ring, 0,
                           static_cast<std::uint32_t>(clock_.numberIn(columns_, group, i)),
                           origin.cast<float>()});
      }
    });
  }

 private:
  struct Beam {
    double x, y, z;          // direction in the column's frame
    Eigen::Vector3d origin;  // [m] in the column's frame
    std::uint16_t ring;
  };

  // `head` [rad]: the head's azimuth in the column's frame.
  static Beam beamOf(const Channel& channel, double head, double lens_radius) {
    const double azimuth = channel.azimuth_offset + head;
    const double cosine = std::cos(channel.elevation), sine = std::sin(channel.elevation);
    const Eigen::Vector3d across(-sine * std::cos(azimuth), -sine * std::sin(azimuth), cosine);
    const Eigen::Vector3d lens(std::cos(head), std::sin(head), 0.0);
    return {cosine * std::cos(azimuth), cosine * std::sin(azimuth), sine,
            channel.offset * across + lens_radius * lens, 0};
  }

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
    // The period of the fastest block, so that no channel fires twice in a column.
    double column_period = config.cycle_period;
    for (const Block& block : blocks) column_period = std::min(column_period, leastPeriod(block));
    const FiringClock columns(column_period, {0.0});
    for (const Block& block : blocks) {
      blocks_.emplace_back(block, config.rotation_rate, config.lens_radius, rings.data() + rings_,
                           columns);
      rings_ += block.channels.size();
      points_per_second_ += static_cast<double>(block.channels.size() * block.start_times.size()) /
                            block.cycle_period;
      has_origins_ = has_origins_ || config.lens_radius != 0.0 ||
                     std::any_of(block.channels.begin(), block.channels.end(),
                                 [](const Channel& channel) { return channel.offset != 0.0; });
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
  bool hasOrigins() const override { return has_origins_; }

 private:
  std::vector<BlockPattern> blocks_;
  std::size_t rings_ = 0;
  double points_per_second_ = 0.0;
  bool has_origins_ = false;
};

void validateBlock(const Block& block, const std::string& where, const std::string& field) {
  const Validator check(where);
  checkSettings(where, block, field + ".");
  check.require(!block.channels.empty() && block.channels.size() <= 65535, field + ".channels",
                fmt::format("a list of {}", block.channels.size()), "1 to 65535 channels");
  double earliest = 0.0;
  for (std::size_t i = 0; i < block.channels.size(); ++i) {
    const Channel& channel = block.channels[i];
    const std::string name = fmt::format("{}.channels[{}]", field, i);
    check.require(channel.fire_time >= earliest && channel.fire_time < block.cycle_period,
                  name + ".fire_time", fmt::format("{} s", channel.fire_time),
                  fmt::format("{} s (the channel before) or later, below the cycle period of {} s",
                              earliest, block.cycle_period));
    earliest = channel.fire_time;
  }
  check.require(!block.start_times.empty(), field + ".start_times", "an empty list",
                "one time or more");
  const std::size_t shots = block.channels.size() * block.start_times.size();
  check.require(shots <= kShotsOfCycleMax, field + ".start_times",
                fmt::format("{} shots a cycle", shots),
                fmt::format("{} at most", kShotsOfCycleMax));
  double latest = 0.0;  // of the previous shot
  for (std::size_t i = 0; i < block.start_times.size(); ++i) {
    const double start = block.start_times[i];
    check.require(start >= latest && start + earliest < block.cycle_period,
                  fmt::format("{}.start_times[{}]", field, i), fmt::format("{} s", start),
                  fmt::format("{} s (the last shot before) or later, all shots below the cycle "
                              "period of {} s",
                              latest, block.cycle_period));
    latest = start + earliest;
  }
  const double period = leastPeriod(block);
  check.require(period >= 1.0 / kPointsPerSecondMax, field + ".start_times",
                fmt::format("{} s between two of one channel's shots", period),
                fmt::format("{} s or more", 1.0 / kPointsPerSecondMax));
}

}  // namespace

void Channel::declare(Settings& settings) {
  settings.required("elevation", elevation, "rad", {-kPi / 2.0, kPi / 2.0});
  settings.optional("azimuth_offset", azimuth_offset, "rad");
  settings.required("fire_time", fire_time, "s");
  settings.optional("offset", offset, "m", {-1.0, 1.0});
}

void Block::declare(Settings& settings) {
  settings.required("cycle_period", cycle_period, "s", {1.0 / kPointsPerSecondMax, 1.0});
  settings.required("channels", channels);
  settings.optional("start_times", start_times, "s");
}

void SpinningPatternConfig::declare(Settings& settings) {
  settings.required("rotation_rate", rotation_rate, "rad/s", kTurningSpeeds);
  settings.optional("lens_radius", lens_radius, "m", {0.0, 1.0});
  if (!settings.isReading()) return;  // validateKind() looks at the blocks
  std::vector<Block> blocks(1);
  if (settings.inFile("blocks")) {
    settings.required("blocks", blocks);
    if (blocks.empty()) settings.fail("blocks", "an empty list", "one block or more");
  } else {
    blocks[0].declare(settings);
  }
  channels = std::move(blocks[0].channels);
  cycle_period = blocks[0].cycle_period;
  start_times = blocks[0].start_times;
  more_blocks.assign(blocks.begin() + 1, blocks.end());
}

void validateKind(const SpinningPatternConfig& config, const std::string& where) {
  checkSettings(where, config, "pattern.");
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
