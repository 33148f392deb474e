// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/scan_pattern.hpp"

namespace marsim::lidar {
namespace {

using Order = GridPatternConfig::Order;

GridPatternConfig spherical(Order order) {
  GridPatternConfig config;
  config.grid.width = 8;
  config.grid.height = 5;
  config.grid.azimuth_min = radians(-40.0);
  config.grid.azimuth_max = radians(40.0);
  config.grid.elevation_min = radians(-15.0);
  config.grid.elevation_max = radians(10.0);
  config.frame_rate = 30.0;
  config.order = order;
  return config;
}

std::vector<Firing> fired(const GridPatternConfig& config, TimeNs begin, TimeNs end) {
  validatePattern(config, "x.yaml");
  std::vector<Firing> firings;
  makePattern(config)->fire(begin, end, firings);
  return firings;
}

TEST(GridPattern, CellsAreThoseOfTheClosedForm) {
  const GridPatternConfig config = spherical(Order::kInstant);
  const auto firings = fired(config, 0, 1);
  ASSERT_EQ(firings.size(), 40U);
  for (std::size_t i = 0; i < firings.size(); ++i) {
    const auto row = static_cast<int>(i / 8), column = static_cast<int>(i % 8);
    const Eigen::Vector3f& d = firings[i].direction;
    EXPECT_NEAR(degrees(std::atan2(d.y(), d.x())), 35.0 - 10.0 * column, 1e-4);  // left to right
    EXPECT_NEAR(degrees(std::asin(d.z())), 7.5 - 5.0 * row, 1e-4);               // from the top
    EXPECT_EQ(firings[i].ring, 4 - row);
    EXPECT_EQ(firings[i].column, static_cast<std::uint32_t>(column));
    EXPECT_EQ(firings[i].stamp, 0);
  }
  EXPECT_DOUBLE_EQ(makePattern(config)->pointsPerSecond(), 1200.0);
  EXPECT_EQ(makePattern(config)->rings(), 5);
}

// Scans of the same rate hold one frame each, though neither falls on whole nanoseconds.
TEST(GridPattern, FramesBeginWithTheScans) {
  const GridPatternConfig config = spherical(Order::kInstant);
  for (int scan = 0; scan < 1000; ++scan) {
    const TimeNs begin = toNs(scan / 30.0), end = toNs((scan + 1) / 30.0);
    const auto firings = fired(config, begin, end);
    ASSERT_EQ(firings.size(), 40U) << scan;
    ASSERT_EQ(firings.front().stamp, begin);
    ASSERT_EQ(firings.back().stamp, begin);
    ASSERT_EQ(firings.front().column, static_cast<std::uint32_t>(8 * scan));
  }
}

TEST(GridPattern, RowsOrColumnsMayFollowOneAnother) {
  const auto rows = fired(spherical(Order::kRows), 0, 1'000'000'000);
  const auto columns = fired(spherical(Order::kColumns), 0, 1'000'000'000);
  ASSERT_EQ(rows.size(), 1200U);
  ASSERT_EQ(columns.size(), 1200U);
  for (std::size_t i = 0; i < 1200; ++i) {
    const std::size_t frame = i / 40, shot = i % 40;
    const double start = static_cast<double>(frame) / 30.0;
    const double row_time = start + static_cast<double>(shot / 8) / 150.0;
    ASSERT_NEAR(toSeconds(rows[i].stamp), row_time, 2e-9);
    ASSERT_EQ(rows[i].ring, 4 - shot / 8);
    ASSERT_EQ(rows[i].column, frame * 8 + shot % 8);
    const double column_time = start + static_cast<double>(shot / 5) / 240.0;
    ASSERT_NEAR(toSeconds(columns[i].stamp), column_time, 2e-9);
    ASSERT_EQ(columns[i].ring, 4 - shot % 5);
    ASSERT_EQ(columns[i].column, frame * 8 + shot / 5);
  }
}

TEST(GridPattern, PinholeCellsAreStraightAheadOfTheSensor) {
  GridPatternConfig config;
  config.grid.projection = ImageGrid::Projection::kPinhole;
  config.grid.width = 5;
  config.grid.height = 3;
  config.grid.fx = 4.0;
  config.grid.fy = 2.0;
  config.grid.cx = 2.0;
  config.grid.cy = 1.0;
  config.frame_rate = 10.0;
  const auto firings = fired(config, 0, 1);
  ASSERT_EQ(firings.size(), 15U);
  for (std::size_t i = 0; i < firings.size(); ++i) {
    const double u = static_cast<double>(i % 5), v = static_cast<double>(i / 5);
    const Eigen::Vector3f wanted =
        Eigen::Vector3d(1.0, -(u - 2.0) / 4.0, -(v - 1.0) / 2.0).normalized().cast<float>();
    EXPECT_TRUE(firings[i].direction.isApprox(wanted, 1e-6F)) << i;
  }
}

TEST(GridPattern, BadSettingsAreNamed) {
  const auto complaint = [](auto change) -> std::string {
    GridPatternConfig config = spherical(Order::kInstant);
    change(config);
    try {
      validatePattern(config, "x.yaml");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  };
  using Config = GridPatternConfig;
  EXPECT_EQ(complaint([](Config&) {}), "none");
  EXPECT_EQ(complaint([](Config& c) { c.grid.width = 0; }),
            "x.yaml: pattern.width is 0, allowed: 1 to 65535 columns");
  EXPECT_EQ(complaint([](Config& c) { c.grid.width = c.grid.height = 8192; }),
            "x.yaml: pattern.width is 8192 x 8192 rows, allowed: 16777216 cells at most");
  EXPECT_EQ(complaint([](Config& c) { c.frame_rate = 0.0; }),
            "x.yaml: pattern.frame_rate is 0, allowed: 0.001 to 100000000 Hz");
  EXPECT_EQ(complaint([](Config& c) { c.frame_rate = 1e7; }),
            "x.yaml: pattern.frame_rate is 10000000 Hz, allowed: 100000000 shots a second at most");
  EXPECT_NE(complaint([](Config& c) { c.grid.elevation_max = -1.0; }).find("elevation_max is -1"),
            std::string::npos);
  EXPECT_NE(complaint([](Config& c) {
              c.grid.projection = ImageGrid::Projection::kPinhole;
            }).find("pattern: fx is 0"),
            std::string::npos);
}

}  // namespace
}  // namespace marsim::lidar
