// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "cloud_checks.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/semantic_class.hpp"
#include "marsim/scene/places.hpp"

namespace marsim::scene {
namespace {

BuildingConfig coarse() {
  BuildingConfig config;
  config.spacing = 0.08;
  return config;
}

TEST(Building, SameSeedSameBytes) {
  EXPECT_TRUE(sameBytes(makeBuilding(coarse()), makeBuilding(coarse())));
}

TEST(Building, OtherSeedOtherBuilding) {
  BuildingConfig other = coarse();
  other.seed = 2;
  EXPECT_FALSE(sameBytes(makeBuilding(coarse()), makeBuilding(other)));
}

TEST(Building, ExtentIsTwoRoomsAndTheirWalls) {
  const Eigen::AlignedBox3f box = boxOf(makeBuilding(coarse()));
  EXPECT_NEAR(box.min().x(), -5.2, 0.05);
  EXPECT_NEAR(box.max().x(), 5.0 + 0.2 + 10.0 + 0.2, 0.05);
  EXPECT_NEAR(box.min().y(), -4.2, 0.05);
  EXPECT_NEAR(box.max().y(), 4.2, 0.05);
  EXPECT_NEAR(box.min().z(), 0.0, 0.05);
  EXPECT_NEAR(box.max().z(), 3.4, 0.05);
}

// White walls around a floor of concrete; 255 is 100 %.
TEST(Building, SaysWhatItsSurfacesReflect) {
  const map::PointCloud cloud = makeBuilding(coarse());
  ASSERT_EQ(cloud.intensity.size(), cloud.size());
  std::size_t floor = 0, wall = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Eigen::Vector3f& p = cloud.points[i];
    const bool inside = std::abs(p.x()) < 4.0F && std::abs(p.y()) < 3.5F;
    if (inside && std::abs(p.z()) < 0.02F && cloud.intensity[i] < 0.8F * 255.0F) {
      ++floor;  // but for the legs of table and shelf
      ASSERT_NEAR(cloud.intensity[i], 0.24F * 255.0F, 0.1F);
    }
    if (std::abs(p.x() + 5.0F) < 0.02F && p.z() > 0.1F && p.z() < 3.1F) {
      ++wall;
      ASSERT_NEAR(cloud.intensity[i], 0.85F * 255.0F, 0.1F);
    }
  }
  EXPECT_GT(floor, 5'000U);
  EXPECT_GT(wall, 1'000U);
}

TEST(Building, TableAndShelfAreThings) {
  const map::PointCloud cloud = makeBuilding(coarse());
  std::map<int, Eigen::AlignedBox3f> things;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Eigen::Vector3f& p = cloud.points[i];
    if (cloud.instances[i] > 0) things[cloud.instances[i]].extend(p);
    const bool inside = std::abs(p.x()) < 4.0F && std::abs(p.y()) < 3.5F;
    if (cloud.classes[i] == map::semantic::kTable) {
      ASSERT_EQ(cloud.instances[i], 1);
    }
    if (cloud.classes[i] == map::semantic::kFloor) {
      ASSERT_NEAR(p.z(), 0.0F, 0.05F);
    }
    if (inside && p.z() > 2.5F && p.z() < 3.1F) {
      ASSERT_EQ(cloud.instances[i], 0);
    }
    if (inside && std::abs(p.z() - 3.2F) < 0.03F) {
      ASSERT_EQ(cloud.classes[i], map::semantic::kCeiling);
    }
    if (std::abs(p.x() + 5.0F) < 0.02F && p.z() > 0.1F && p.z() < 3.1F) {
      ASSERT_EQ(cloud.classes[i], map::semantic::kWall);
    }
  }
  ASSERT_EQ(things.size(), 2U);
  EXPECT_NEAR(things[1].max().z(), 0.75F, 0.05F);
  EXPECT_NEAR(things[2].max().z(), 2.0F, 0.1F);
}

TEST(Building, StartIsFree) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    BuildingConfig config = coarse();
    config.seed = seed;
    const map::PointCloud cloud = makeBuilding(config);
    for (const float z : {1.0F, 1.5F, 2.0F}) {
      EXPECT_GE(clearanceAt(cloud, {0.0F, 0.0F, z}), 0.8) << "seed " << seed << " z " << z;
    }
  }
}

// The door is found from the points alone: the only gap of its width in the dividing wall, and a
// straight way through its middle keeps nearly half its width to everything.
TEST(Building, DoorIsPassable) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    BuildingConfig config = coarse();
    config.seed = seed;
    const map::PointCloud cloud = makeBuilding(config);
    const KdTree tree(cloud.points);
    double best = 0.0;
    float door_y = 0.0F;
    for (float y = -3.0F; y < 3.0F; y += 0.05F) {
      const double clearance = tree.nearest({5.1F, y, 1.2F}).distance;
      if (clearance > best) {
        best = clearance;
        door_y = y;
      }
    }
    EXPECT_NEAR(best, 0.5 * config.door_width, 0.08) << "seed " << seed;
    for (float x = 3.5F; x < 6.7F; x += 0.05F) {
      EXPECT_GT(tree.nearest({x, door_y, 1.2F}).distance, 0.55) << "seed " << seed << " x " << x;
    }
    // And a way from the start to it.
    for (float share = 0.0F; share < 1.0F; share += 0.02F) {
      EXPECT_GT(tree.nearest({4.0F * share, door_y * share, 1.2F}).distance, 0.6);
    }
  }
}

TEST(Building, WallsHaveTwoFacesAndWindowsAreOpen) {
  const map::PointCloud cloud = makeBuilding(coarse());
  int inner = 0;
  int outer = 0;
  int between = 0;
  for (const Eigen::Vector3f& p : cloud.points) {
    // The northern wall has no windows.
    if (std::abs(p.x()) > 4.5F || p.z() < 0.2F || p.z() > 3.0F) continue;
    inner += std::abs(p.y() - 4.0F) < 0.02F ? 1 : 0;
    outer += std::abs(p.y() - 4.2F) < 0.02F ? 1 : 0;
    between += p.y() > 4.04F && p.y() < 4.16F ? 1 : 0;
  }
  const double expected = 9.0 * 2.8 / (0.08 * 0.08);
  EXPECT_NEAR(inner, expected, 0.05 * expected + 300.0);  // and the shelf's back
  EXPECT_NEAR(outer, expected, 0.05 * expected);
  EXPECT_EQ(between, 0);

  // The southern one has: at their height it holds fewer points than above.
  const auto southern = [&](float low, float high) {
    return std::count_if(cloud.points.begin(), cloud.points.end(), [&](const Eigen::Vector3f& p) {
      return std::abs(p.y() + 4.2F) < 0.02F && p.z() > low && p.z() < high;
    });
  };
  EXPECT_LT(southern(1.2F, 1.8F), 0.8 * static_cast<double>(southern(2.4F, 3.0F)));
}

TEST(Building, PointsAreSpacedAsConfigured) {
  for (const double spacing : {0.05, 0.1}) {
    BuildingConfig config;
    config.spacing = spacing;
    const double distance = meanNeighbourDistance(makeBuilding(config));
    EXPECT_GT(distance, 0.5 * spacing);
    EXPECT_LT(distance, 1.1 * spacing);
  }
}

TEST(Building, RefusesSettingsOutOfBounds) {
  BuildingConfig config;
  config.door_height = config.height;
  EXPECT_THROW(makeBuilding(config), ConfigError);
  config = {};
  config.room_width = 1.0;
  EXPECT_THROW(makeBuilding(config), ConfigError);
  config = {};
  config.range_noise = -0.1;
  EXPECT_THROW(makeBuilding(config), ConfigError);
}

}  // namespace
}  // namespace marsim::scene
