// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "physics/grass_stand.hpp"
#include "physics/mixed_pixels.hpp"
#include "physics/shrub_ranges.hpp"
#include "physics/special_surfaces.hpp"
#include "physics/weather_rating.hpp"

/// Beams and their echoes against closed forms, published figures and simulations of their own.
namespace marsim::physics {
namespace {

void expectWithinBounds(const std::vector<LimitRow>& rows, std::size_t count) {
  EXPECT_EQ(rows.size(), count);
  for (const LimitRow& row : rows) {
    EXPECT_TRUE(row.ok()) << row.name << " is " << row.value << ", allowed: " << row.low << " to "
                          << row.high;
  }
}

TEST(Physics, MixedPixelsAndModes) {
  std::vector<LimitRow> rows;
  rateMixedPixels(rows);
  expectWithinBounds(rows, 5);
}

TEST(Physics, DepthsInStandsOfStems) {
  std::vector<LimitRow> rows;
  rateGrassStands(6120, rows);
  expectWithinBounds(rows, 48);
}

TEST(Physics, RangesOfAShrub) {
  std::vector<LimitRow> rows;
  rateShrub(rows);
  expectWithinBounds(rows, 4);
}

TEST(Physics, MirrorsPanesAndRetroReflectors) {
  std::vector<LimitRow> rows;
  rateSurfaces(rows);
  expectWithinBounds(rows, 8);
}

TEST(Physics, RainSnowAndFog) {
  std::vector<LimitRow> rows;
  rateWeather(20, rows);
  expectWithinBounds(rows, 24);
}

}  // namespace
}  // namespace marsim::physics
