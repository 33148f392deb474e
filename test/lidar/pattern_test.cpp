// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lidar/patterns/shared_pattern.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/scan_pattern.hpp"

namespace marsim::lidar {
namespace {

constexpr TimeNs kTenHours = 36'000 * kNsPerSecond;

RisleyPatternConfig risley() {
  RisleyPatternConfig config;
  config.prisms = {{-800.0, radians(30.0), 1.51, 0.3}, {250.0, radians(-25.0), 1.51, 1.0}};
  config.beam_angles = {radians(-1.0), 0.0, radians(1.0)};
  config.points_per_second = 231'000.0;
  return config;
}

Mid360PatternConfig mid360() {
  Mid360PatternConfig config;
  config.points_per_second = 199'999.0;
  config.beam_angles = {radians(-1.5), radians(-0.5), radians(0.5), radians(1.5)};
  config.prism = {-1080.0, radians(-35.0), 1.51, 0.0};
  config.mirror_speed = -1143.0;
  config.mirror_tilt = radians(56.0);
  return config;
}

SpinningPatternConfig spinning() {
  SpinningPatternConfig config;
  config.channels = {{radians(-15.0), 0.0, 0.0},
                     {radians(1.0), radians(2.0), 2.304e-6},
                     {radians(-13.0), 0.0, 4.608e-6}};
  config.cycle_period = 55.296e-6;
  config.rotation_rate = -62.8;
  return config;
}

/// Two blocks, the second slower than the first and ranked among its channels.
/// A block that fires thrice, then another one once.
SpinningPatternConfig repeating() {
  SpinningPatternConfig config;
  config.channels = {{radians(2.0), 0.1, 0.0, 0.02}, {radians(-3.0), 0.0, 4e-6, -0.01}};
  config.cycle_period = 100e-6;
  config.start_times = {0.0, 25e-6, 50e-6};
  config.rotation_rate = -20.0 * kPi;
  config.lens_radius = 0.015;
  config.more_blocks = {{{{radians(-9.0), 0.0, 1e-6}}, 100e-6, {75e-6}}};
  return config;
}

SpinningPatternConfig twoBlocks() {
  SpinningPatternConfig config = spinning();
  config.more_blocks.push_back(
      {{{radians(-20.0), 0.0, 1e-6}, {radians(0.0), 0.0, 50e-6}}, 3.0 * 37.77e-6});
  return config;
}

/// Seven rows; with times of their own, two of them at one instant.
CsvPatternConfig csv(bool with_times) {
  auto table = std::make_shared<ScanTable>();
  for (int row = 0; row < 7; ++row) {
    const double azimuth = 0.1 * row;
    table->directions.emplace_back(std::cos(azimuth), std::sin(azimuth), 0.0);
  }
  CsvPatternConfig config;
  if (with_times) {
    table->times = {0, 3'000, 3'000, 9'000, 11'000, 20'000, 31'000};
    config.period = 40.001e-6;
  } else {
    config.points_per_second = 231'000.0;
  }
  config.table = table;
  return config;
}

GridPatternConfig grid(GridPatternConfig::Order order) {
  GridPatternConfig config;
  config.grid.width = 4;
  config.grid.height = 3;
  config.grid.azimuth_min = radians(-30.0);
  config.grid.azimuth_max = radians(10.0);
  config.grid.elevation_min = radians(-10.0);
  config.grid.elevation_max = radians(20.0);
  config.frame_rate = 29'999.0;
  config.order = order;
  return config;
}

std::vector<Firing> fired(const ScanPattern& pattern, TimeNs begin, TimeNs end) {
  std::vector<Firing> firings;
  pattern.fire(begin, end, firings);
  return firings;
}

void expectSame(const std::vector<Firing>& a, const std::vector<Firing>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].stamp, b[i].stamp) << i;
    ASSERT_EQ(a[i].direction, b[i].direction) << i;
    ASSERT_EQ(a[i].ring, b[i].ring) << i;
    ASSERT_EQ(a[i].line, b[i].line) << i;
    ASSERT_EQ(a[i].column, b[i].column) << i;
  }
}

class AnyPattern : public testing::TestWithParam<PatternConfig> {};

TEST_P(AnyPattern, IntervalsThatAdjoinGiveTheShotsOfTheirUnion) {
  const auto pattern = makePattern(GetParam());
  for (const TimeNs start : {TimeNs{0}, TimeNs{-7'654'321}, TimeNs{1'234'567}, kTenHours + 77}) {
    const TimeNs end = start + 3'000'017;
    const auto whole = fired(*pattern, start, end);
    ASSERT_FALSE(whole.empty());
    std::vector<Firing> parts;
    TimeNs step = 1;
    for (TimeNs t = start; t < end; t += step, step = step * 7 % 50'021 + 1) {
      pattern->fire(t, std::min(t + step, end), parts);
    }
    expectSame(whole, parts);
  }
}

TEST_P(AnyPattern, SharedGivesTheSameShots) {
  const auto plain = makePattern(GetParam());
  const auto only = sharePattern(GetParam());
  expectSame(fired(*only, 5, 2'000'017), fired(*plain, 5, 2'000'017));
  const auto other = sharePattern(GetParam());
  std::vector<std::thread> threads;
  for (const ScanPattern* pattern : {only.get(), other.get(), only.get(), other.get()}) {
    threads.emplace_back([&plain, pattern] {
      for (TimeNs begin = 0; begin < 10'000'000; begin += 1'000'003) {
        std::vector<Firing> firings = fired(*plain, begin - 1'000, begin);  // others are kept
        pattern->fire(begin, begin + 1'000'003, firings);
        expectSame(firings, fired(*plain, begin - 1'000, begin + 1'000'003));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(other->rings(), plain->rings());
  EXPECT_EQ(other->pointsPerSecond(), plain->pointsPerSecond());
}

TEST(SharedPattern, AlmostEqualOnesAreNotShared) {
  RisleyPatternConfig config;
  config.prisms = {{760.0, radians(18.0), 1.51, 0.0}, {-480.0, radians(18.0), 1.51, 0.0}};
  config.points_per_second = 100'000.0;
  const auto first = sharePattern(config);
  const auto first_again = sharePattern(config);
  config.prisms[1].phase = 0.1;
  const auto second = sharePattern(config);
  EXPECT_EQ(fired(*first, 0, 1'000'000).front().direction,
            fired(*first_again, 0, 1'000'000).front().direction);
  EXPECT_NE(fired(*first, 0, 1'000'000).front().direction,
            fired(*second, 0, 1'000'000).front().direction);
}

TEST_P(AnyPattern, SplitsAtAShotsOwnStamp) {
  const auto pattern = makePattern(GetParam());
  const auto whole = fired(*pattern, 0, 200'000);
  for (const Firing& firing : whole) {
    auto parts = fired(*pattern, 0, firing.stamp);
    pattern->fire(firing.stamp, 200'000, parts);
    expectSame(whole, parts);
  }
}

TEST_P(AnyPattern, StampsNeverFallAndDirectionsAreUnit) {
  const auto pattern = makePattern(GetParam());
  const TimeNs begin = 12'345;
  const auto firings = fired(*pattern, begin, begin + 20'000'000);
  TimeNs last = begin;
  for (const Firing& firing : firings) {
    ASSERT_GE(firing.stamp, last);
    last = firing.stamp;
    ASSERT_NEAR(firing.direction.norm(), 1.0F, 1e-6F);
  }
  EXPECT_LT(last, begin + 20'000'000);
}

TEST_P(AnyPattern, RateHoldsAfterTenHours) {
  const auto pattern = makePattern(GetParam());
  for (const TimeNs start : {TimeNs{0}, kTenHours + 13}) {
    const auto count = static_cast<double>(fired(*pattern, start, start + kNsPerSecond / 2).size());
    EXPECT_NEAR(count, pattern->pointsPerSecond() / 2.0, 12.0);
  }
}

TEST_P(AnyPattern, EmptyIntervalsGiveNothing) {
  const auto pattern = makePattern(GetParam());
  EXPECT_TRUE(fired(*pattern, 1'000, 1'000).empty());
  EXPECT_TRUE(fired(*pattern, 2'000, 1'000).empty());
}

TEST_P(AnyPattern, NoRingFiresTwiceInAColumn) {
  const auto pattern = makePattern(GetParam());
  const auto firings = fired(*pattern, -3'000'000, 4'000'000);
  std::set<std::pair<std::uint32_t, std::uint16_t>> seen;
  std::uint32_t span = 0;
  for (const Firing& firing : firings) {
    ASSERT_LT(firing.ring, pattern->rings());
    ASSERT_TRUE(seen.emplace(firing.column, firing.ring).second) << firing.stamp;
    span = std::max(span, firing.column - firings.front().column);
  }
  EXPECT_LT(span, firings.size());  // and columns are counted up, across simulated time 0, too
}

using Order = GridPatternConfig::Order;
INSTANTIATE_TEST_SUITE_P(Kinds, AnyPattern,
                         testing::Values(risley(), mid360(), spinning(), twoBlocks(), repeating(),
                                         csv(false), csv(true), grid(Order::kInstant),
                                         grid(Order::kRows), grid(Order::kColumns)));

TEST(RisleyPattern, LinesShareAnInstant) {
  const auto firings = fired(*makePattern(risley()), 0, 1'000'000);
  for (std::size_t i = 0; i + 2 < firings.size(); i += 3) {
    EXPECT_EQ(firings[i].stamp, firings[i + 2].stamp);
    EXPECT_EQ(firings[i + 2].line, 2);
  }
}

TEST(RisleyPattern, LinesMayBeSpreadEvenly) {
  RisleyPatternConfig config = risley();
  config.points_per_second = 300'000.0;
  config.lines_fire_together = false;
  const auto firings = fired(*makePattern(config), 0, 100'000);
  ASSERT_EQ(firings.size(), 30U);
  EXPECT_EQ(firings[1].stamp, 3'333);
  EXPECT_EQ(firings[2].stamp, 6'666);
  EXPECT_EQ(firings[3].stamp, 10'000);
}

// Plane face first: the beam meets the inclined face at the wedge angle a and leaves deflected by
// asin(n sin a) - a. Inclined face first: asin(n sin(a - asin(sin(a) / n))).
TEST(RisleyPattern, OnePrismDrawsTheConeOfSnellsLaw) {
  const double a = radians(20.0), n = 1.51;
  const double plane_first = std::asin(n * std::sin(a)) - a;
  const double inclined_first = std::asin(n * std::sin(a - std::asin(std::sin(a) / n)));
  for (const double wedge : {a, -a}) {
    RisleyPatternConfig config;
    config.prisms = {{2.0 * kPi * 50.0, wedge, n, 0.0}};
    config.points_per_second = 10'000.0;
    const auto firings = fired(*makePattern(config), 0, 20'000'000);
    ASSERT_EQ(firings.size(), 200U);
    for (std::size_t i = 0; i < firings.size(); ++i) {
      const Eigen::Vector3f& d = firings[i].direction;
      EXPECT_NEAR(std::acos(d.x()), wedge > 0.0 ? inclined_first : plane_first, 1e-5);
      // The inclined face's thick side, towards which the beam bends, turns with the phase.
      const double turned =
          std::atan2(d.z(), d.y()) - std::atan2(firings[0].direction.z(), firings[0].direction.y());
      EXPECT_NEAR(std::remainder(turned - 2.0 * kPi * static_cast<double>(i) / 200.0, 2.0 * kPi),
                  0.0, 1e-5);
    }
  }
}

// Thin prisms deflect by (n - 1) a each: the sum of two turning arrows.
TEST(RisleyPattern, ThinPrismsAddUp) {
  const double a = radians(0.5), n = 1.5;
  RisleyPatternConfig config;
  config.prisms = {{700.0, -a, n, 0.2}, {-300.0, -a, n, 1.1}};
  config.points_per_second = 10'000.0;
  const double radius = (n - 1.0) * a;
  const auto firings = fired(*makePattern(config), 0, 50'000'000);
  // Towards which side is a matter of where phase 0 lies: the first shot tells.
  const double first = std::cos(0.2) + std::cos(1.1);
  const double sign = firings[0].direction.y() * first > 0.0 ? 1.0 : -1.0;
  for (const Firing& firing : firings) {
    const double t = toSeconds(firing.stamp);
    const double p = 700.0 * t + 0.2, q = -300.0 * t + 1.1;
    EXPECT_NEAR(firing.direction.y(), sign * radius * (std::cos(p) + std::cos(q)), 2e-6);
    EXPECT_NEAR(firing.direction.z(), sign * radius * (std::sin(p) + std::sin(q)), 2e-6);
  }
}

TEST(RisleyPattern, TotallyReflectedBeamsDoNotFire) {
  RisleyPatternConfig config;
  config.prisms = {{0.0, radians(-50.0), 1.51, 0.0}};  // beyond the critical angle of 41.5 degrees
  config.points_per_second = 1'000.0;
  EXPECT_TRUE(fired(*makePattern(config), 0, kNsPerSecond).empty());
}

// Without a wedge only the mirror is left: every shot of the beam along the axis at the zenith
// angle pi - 2 tilt and at the azimuth of the mirror.
TEST(Mid360Pattern, MirrorAloneSweepsACone) {
  Mid360PatternConfig config = mid360();
  config.beam_angles = {0.0};
  config.prism.wedge_angle = 0.0;
  config.mirror_phase = 0.7;
  config.points_per_second = 200'000.0;
  for (const Firing& firing : fired(*makePattern(config), 0, 10'000'000)) {
    const Eigen::Vector3f& d = firing.direction;
    EXPECT_NEAR(std::acos(d.z()), kPi - 2.0 * config.mirror_tilt, 1e-5);
    const double azimuth = config.mirror_speed * toSeconds(firing.stamp) + 0.7;
    EXPECT_NEAR(std::remainder(std::atan2(d.y(), d.x()) - azimuth, 2.0 * kPi), 0.0, 1e-4);
  }
}

TEST(SpinningPattern, ColumnsTurnAndChannelsKeepTheirTimes) {
  const SpinningPatternConfig config = spinning();
  const auto firings = fired(*makePattern(config), 0, 100'000'000);
  const std::vector<std::uint16_t> rings = {0, 2, 1};
  for (std::size_t i = 0; i < firings.size(); ++i) {
    const std::size_t column = i / 3, channel = i % 3;
    const double t = static_cast<double>(column) * 55.296e-6 + config.channels[channel].fire_time;
    EXPECT_NEAR(static_cast<double>(firings[i].stamp), t * 1e9, 1.001) << i;
    EXPECT_EQ(firings[i].ring, rings[channel]);
    const Eigen::Vector3f& d = firings[i].direction;
    EXPECT_NEAR(std::asin(d.z()), config.channels[channel].elevation, 1e-6);
    const double azimuth = config.rotation_rate * t + config.channels[channel].azimuth_offset;
    EXPECT_NEAR(std::remainder(std::atan2(d.y(), d.x()) - azimuth, 2.0 * kPi), 0.0, 1e-6);
  }
}

// A column's period does not divide a scan: the fraction carries over.
TEST(SpinningPattern, FractionalColumnsCarryOver) {
  const auto pattern = makePattern(spinning());
  std::size_t total = 0;
  for (int scan = 0; scan < 20; ++scan) {
    total += fired(*pattern, scan * 100'000'000LL, (scan + 1) * 100'000'000LL).size();
  }
  EXPECT_EQ(total, 3U * 36'169U);  // 2 s / 55.296 us = 36168.98 columns
}

TEST(SpinningPattern, BlocksMayFireSeveralTimesACycle) {
  const SpinningPatternConfig config = repeating();
  const auto pattern = makePattern(config);
  EXPECT_NEAR(pattern->pointsPerSecond(), 70'000.0, 1e-6);
  EXPECT_EQ(pattern->rings(), 3);
  EXPECT_TRUE(pattern->hasOrigins());
  EXPECT_FALSE(makePattern(spinning())->hasOrigins());
  const auto firings = fired(*pattern, 0, 10'000'000);
  ASSERT_EQ(firings.size(), 700U);
  const std::vector<double> times = {0, 4, 25, 29, 50, 54, 76};  // [us]
  for (std::size_t i = 0; i < firings.size(); ++i) {
    const std::size_t shot = i % 7;
    const double t = 1e-6 * (100.0 * static_cast<double>(i / 7) + times[shot]);
    ASSERT_NEAR(static_cast<double>(firings[i].stamp), 1e9 * t, 1.001);
    ASSERT_EQ(firings[i].ring, shot == 6 ? 0 : shot % 2 == 0 ? 2 : 1);
    ASSERT_EQ(firings[i].column, 4 * (i / 7) + shot / 2);
    // From the lens, which turns with the head, and across the beam by the channel's offset.
    const double head = config.rotation_rate * t;
    const auto& channel = shot == 6 ? config.more_blocks[0].channels[0] : config.channels[shot % 2];
    const Eigen::Vector3d lens(0.015 * std::cos(head), 0.015 * std::sin(head), 0.0);
    const Eigen::Vector3d d = firings[i].direction.cast<double>();
    const Eigen::Vector3d left = Eigen::Vector3d::UnitZ().cross(d).normalized();
    const Eigen::Vector3d expected = lens + channel.offset * d.cross(left);
    ASSERT_LT((firings[i].origin.cast<double>() - expected).norm(), 1e-7);
    ASSERT_NEAR(std::remainder(std::atan2(d.y(), d.x()) - head - channel.azimuth_offset, 2.0 * kPi),
                0.0, 1e-6);
  }
}

TEST(SpinningPattern, BlocksKeepTheirCyclesOnOneHead) {
  const SpinningPatternConfig config = twoBlocks();
  const auto& slow = config.more_blocks[0];
  const auto firings = fired(*makePattern(config), 0, 100'000'000);
  const std::vector<std::uint16_t> slow_rings = {0, 3};  // below all and between 1 and -13 degrees
  std::size_t index = 0;
  for (const Firing& firing : firings) {
    if (firing.ring != 0 && firing.ring != 3) continue;
    const std::size_t column = index / 2, channel = index % 2;
    ++index;
    const double t =
        static_cast<double>(column) * slow.cycle_period + slow.channels[channel].fire_time;
    ASSERT_NEAR(static_cast<double>(firing.stamp), t * 1e9, 1.001);
    ASSERT_EQ(firing.ring, slow_rings[channel]);
    ASSERT_EQ(firing.column, static_cast<std::uint32_t>(std::floor(t / 55.296e-6 + 1e-9)));
    const double azimuth = std::atan2(firing.direction.y(), firing.direction.x());
    ASSERT_NEAR(std::remainder(azimuth - config.rotation_rate * t, 2.0 * kPi), 0.0, 1e-6);
  }
  EXPECT_NEAR(static_cast<double>(index), 2.0 * 0.1 / slow.cycle_period, 2.0);
}

std::string complaint(const PatternConfig& config) {
  try {
    validatePattern(config, "x.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "valid";
}

TEST(ValidatePattern, NamesTheField) {
  EXPECT_EQ(complaint(risley()), "valid");
  EXPECT_EQ(complaint(mid360()), "valid");
  EXPECT_EQ(complaint(spinning()), "valid");

  RisleyPatternConfig no_prism = risley();
  no_prism.prisms.clear();
  EXPECT_EQ(complaint(no_prism), "x.yaml: pattern.prisms is empty, allowed: at least one prism");
  RisleyPatternConfig no_rate = risley();
  no_rate.points_per_second = 0.0;
  EXPECT_NE(complaint(no_rate).find("pattern.points_per_second is 0"), std::string::npos);
  RisleyPatternConfig not_a_number = risley();
  not_a_number.prisms[1].refractive_index = std::nan("");
  EXPECT_NE(complaint(not_a_number).find("pattern.prisms[1].refractive_index is nan"),
            std::string::npos);

  Mid360PatternConfig no_lines = mid360();
  no_lines.beam_angles.clear();
  EXPECT_NE(complaint(no_lines).find("pattern.beam_angles"), std::string::npos);
  Mid360PatternConfig tilted = mid360();
  tilted.mirror_tilt = 2.0;
  EXPECT_NE(complaint(tilted).find("pattern.mirror.tilt is 2"), std::string::npos);

  SpinningPatternConfig late = spinning();
  late.channels[2].fire_time = 60e-6;
  EXPECT_NE(complaint(late).find("pattern.channels[2].fire_time"), std::string::npos);
  SpinningPatternConfig unordered = spinning();
  unordered.channels[2].fire_time = 1e-6;
  EXPECT_NE(complaint(unordered).find("pattern.channels[2].fire_time"), std::string::npos);
  SpinningPatternConfig late_block = twoBlocks();
  late_block.more_blocks[0].channels[1].fire_time = 1.0;
  EXPECT_NE(complaint(late_block).find("pattern.blocks[1].channels[1].fire_time"),
            std::string::npos);
  SpinningPatternConfig overlapping = spinning();
  overlapping.start_times = {0.0, 1e-6};
  EXPECT_NE(complaint(overlapping).find("pattern.start_times[1] is 1e-06 s"), std::string::npos)
      << complaint(overlapping);
  SpinningPatternConfig at_once = spinning();  // a column's period would be 0
  at_once.channels.resize(1);
  at_once.start_times = {0.0, 0.0};
  EXPECT_EQ(
      complaint(at_once),
      "x.yaml: pattern.start_times is 0 s between two of one channel's shots, allowed: 1e-08 s "
      "or more");
  SpinningPatternConfig crowded = spinning();
  crowded.start_times.assign(1'000'000, 0.0);
  EXPECT_NE(complaint(crowded).find("shots a cycle, allowed: 1000000 at most"), std::string::npos);
  SpinningPatternConfig never = spinning();
  never.start_times.clear();
  EXPECT_EQ(complaint(never),
            "x.yaml: pattern.start_times is an empty list, allowed: one time or more");
  SpinningPatternConfig wide = spinning();
  wide.lens_radius = 12.0;
  EXPECT_EQ(complaint(wide), "x.yaml: pattern.lens_radius is 12, allowed: 0 to 1 m");
  SpinningPatternConfig high = spinning();
  high.channels[1].offset = NAN;
  EXPECT_NE(complaint(high).find("pattern.channels[1].offset is nan"), std::string::npos);
  SpinningPatternConfig none = spinning();
  none.channels.clear();
  EXPECT_NE(complaint(none).find("pattern.channels"), std::string::npos);
}

}  // namespace
}  // namespace marsim::lidar
