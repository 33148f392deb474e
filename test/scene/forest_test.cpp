// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "cloud_checks.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "marsim/scene/places.hpp"

namespace marsim::scene {
namespace {

// Small and coarse, so that the tests are quick.
ForestConfig smallForest() {
  ForestConfig config;
  config.size_x = 20.0;
  config.size_y = 16.0;
  config.spacing = 0.12;
  config.surroundings = 0.0;
  return config;
}

TEST(Forest, SameSeedSameBytes) {
  EXPECT_TRUE(sameBytes(makeForest(smallForest()), makeForest(smallForest())));
}

TEST(Forest, OtherSeedOtherForest) {
  ForestConfig other = smallForest();
  other.seed = 2;
  EXPECT_FALSE(sameBytes(makeForest(smallForest()), makeForest(other)));
}

TEST(Forest, DefaultHasTheSizeThatItPromises) {
  ForestConfig config;
  config.surroundings = 0.0;
  const map::PointCloud cloud = makeForest(config);
  EXPECT_GT(cloud.size(), 500'000U);
  EXPECT_LT(cloud.size(), 1'050'000U);
  const Eigen::AlignedBox3f box = boxOf(cloud);
  EXPECT_NEAR(box.sizes().x(), 48.0, 0.2);
  EXPECT_NEAR(box.sizes().y(), 28.0, 0.2);
  EXPECT_GT(box.max().z(), 10.0);
  EXPECT_LT(box.max().z(), 20.0);
}

TEST(Forest, GroundHasTheReliefAskedForAndIsZeroAtTheOrigin) {
  ForestConfig bare;
  bare.size_x = 30.0;
  bare.size_y = 20.0;
  bare.trees_per_100_m2 = 0.0;
  bare.ground_relief = 2.0;
  bare.spacing = 0.1;
  bare.surroundings = 0.0;
  double at_origin = 0.0;
  int near_origin = 0;
  // Bushes and rocks stand up to 1.7 m above the ground: only the lowest point of each square
  // metre counts.
  std::map<std::pair<int, int>, float> lowest;
  for (const Eigen::Vector3f& p : makeForest(bare).points) {
    const auto cell =
        std::pair(static_cast<int>(std::floor(p.x())), static_cast<int>(std::floor(p.y())));
    const auto [entry, is_new] = lowest.emplace(cell, p.z());
    if (!is_new) entry->second = std::min(entry->second, p.z());
    if (p.head<2>().norm() < 0.5) {
      at_origin += p.z();
      ++near_origin;
    }
  }
  float low = 1e9F;
  float high = -1e9F;
  for (const auto& [cell, z] : lowest) {
    low = std::min(low, z);
    high = std::max(high, z);
  }
  EXPECT_NEAR(at_origin / near_origin, 0.0, 0.05);
  EXPECT_NEAR(high - low, 2.0, 0.35);
}

TEST(Forest, StartIsFreeForAnySeed) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    ForestConfig config = smallForest();
    config.seed = seed;
    config.trees_per_100_m2 = 12.0;
    const map::PointCloud cloud = makeForest(config);
    for (const float z : {1.0F, 1.5F, 2.0F}) {
      EXPECT_GE(clearanceAt(cloud, {0.0F, 0.0F, z}), 0.8) << "seed " << seed << " z " << z;
    }
  }
}

// Share of a fan of level lines, [deg] wide and up to 15 degrees up and down, that come within
// 0.15 m of a point.
double shareMet(const map::PointCloud& cloud, const Eigen::Vector3d& from, double azimuth) {
  const KdTree tree(cloud.points);
  int met = 0, cast = 0;
  for (double up = -15.0; up <= 15.0; up += 5.0) {
    for (double turn = -35.0; turn <= 35.0; turn += 7.0, ++cast) {
      const double a = radians(azimuth + turn), e = radians(up);
      const Eigen::Vector3d along(std::cos(e) * std::cos(a), std::cos(e) * std::sin(a),
                                  std::sin(e));
      for (double range = 0.5; range < 60.0; range += 0.15) {
        const Eigen::Vector3d at = from + range * along;
        if (tree.within(at.cast<float>(), 0.15F).empty()) continue;
        ++met;
        break;
      }
    }
  }
  return static_cast<double>(met) / cast;
}

// From a corner, where the wood inside is behind the sensor.
TEST(Forest, SurroundingsCloseTheViewAndLeaveTheForestAsItIs) {
  ForestConfig config = smallForest();
  const map::PointCloud bare = makeForest(config);
  config.surroundings = 10.0;
  const map::PointCloud cloud = makeForest(config);
  ASSERT_GT(cloud.size(), 2 * bare.size());
  for (std::size_t i = 0; i < bare.size(); ++i) {
    ASSERT_EQ(cloud.points[i], bare.points[i]) << i;
    ASSERT_EQ(cloud.intensity[i], bare.intensity[i]) << i;
  }
  float lowest_inside = 0.0F;
  for (const Eigen::Vector3f& p : bare.points) lowest_inside = std::min(lowest_inside, p.z());
  const Eigen::AlignedBox3f box = boxOf(cloud);
  EXPECT_NEAR(box.sizes().x(), 40.0, 0.2);
  EXPECT_NEAR(box.sizes().y(), 36.0, 0.2);
  EXPECT_GE(box.min().z(), lowest_inside);
  const Eigen::Vector3d corner(9.0, 7.0, 1.5);
  EXPECT_LT(shareMet(bare, corner, 45.0), 0.4);
  EXPECT_GT(shareMet(cloud, corner, 45.0), 0.8);
  EXPECT_GT(shareMet(cloud, corner, -80.0), 0.8);
}

// Points between 1.2 and 1.5 m above ground are trunks: more trees, more of them.
TEST(Forest, DensityDecidesTheNumberOfTrees) {
  const auto trunkPoints = [](double density) {
    ForestConfig config = smallForest();
    config.ground_relief = 0.0;
    config.trees_per_100_m2 = density;
    const map::PointCloud cloud = makeForest(config);
    return std::count_if(cloud.points.begin(), cloud.points.end(),
                         [](const Eigen::Vector3f& p) { return p.z() > 1.4F && p.z() < 1.7F; });
  };
  const auto few = trunkPoints(2.0);
  EXPECT_GT(few, 10);
  EXPECT_GT(trunkPoints(6.0), 2 * few);
}

TEST(Forest, PointsAreSpacedAsConfigured) {
  ForestConfig config = smallForest();
  config.trees_per_100_m2 = 0.0;
  // Random points have a nearest neighbour at half the spacing, a strict grid at the spacing.
  for (const double spacing : {0.06, 0.12}) {
    config.spacing = spacing;
    const double distance = meanNeighbourDistance(makeForest(config));
    EXPECT_GT(distance, 0.5 * spacing);
    EXPECT_LT(distance, 1.1 * spacing);
  }
}

// Grass below, leaves and needles above, wood and stone between them; 255 is 100 %.
TEST(Forest, SaysWhatItsSurfacesReflect) {
  const map::PointCloud cloud = makeForest(smallForest());
  ASSERT_EQ(cloud.intensity.size(), cloud.size());
  std::map<int, std::size_t> counts;
  for (const float intensity : cloud.intensity) {
    ++counts[static_cast<int>(std::lround(intensity / 2.55F))];
  }
  EXPECT_EQ(counts.size(), 5U);
  for (const int percent : {19, 25, 51, 52, 55}) EXPECT_GT(counts[percent], 10U) << percent;
}

TEST(Forest, AllPointsAreFinite) {
  for (const Eigen::Vector3f& p : makeForest(smallForest()).points) ASSERT_TRUE(p.allFinite());
}

TEST(Forest, RefusesSettingsOutOfBounds) {
  ForestConfig config;
  config.spacing = 0.0;
  try {
    config.validate("forest.yaml");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()), "forest.yaml: spacing is 0, allowed: 0.002 to 1 m");
  }
  config = {};
  config.size_x = std::nan("");
  EXPECT_THROW(makeForest(config), ConfigError);
  config = {};
  config.size_x = config.size_y = 1000.0;  // 250,000,000,000 points
  config.spacing = 0.002;
  EXPECT_THROW(config.validate(""), ConfigError);
  config = {};
  config.clearing_radius = 0.5;
  EXPECT_THROW(makeForest(config), ConfigError);
}

}  // namespace
}  // namespace marsim::scene
