// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/planting.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

const Eigen::AlignedBox3d kBounds(Vector3d(-50, -40, 0), Vector3d(50, 40, 20));

double heightAt(const Vector2d& place) { return 3.0 + 0.1 * place.x() - 0.05 * place.y(); }

// A slope; none beyond x = 30.
std::vector<double> slope(const std::vector<Vector2d>& places, double z_min, double z_max) {
  std::vector<double> heights;
  for (const Vector2d& place : places) {
    const double height = heightAt(place);
    const bool is_there = place.x() <= 30.0 && height >= z_min && height <= z_max;
    heights.push_back(is_there ? height : std::numeric_limits<double>::quiet_NaN());
  }
  return heights;
}

StandConfig standOf(SpeciesConfig::Kind kind, double density, const Vector2d& low,
                    const Vector2d& high) {
  StandConfig stand;
  stand.species.kind = kind;
  stand.species.lean = radians(20);
  stand.species.pieces = 2;
  if (kind == SpeciesConfig::Kind::kShrub) stand.species.height_min = stand.species.height_max = 1;
  stand.density = density;
  stand.region.min().head<2>() = low;
  stand.region.max().head<2>() = high;
  return stand;
}

VegetationConfig grass(double density, const Vector2d& low, const Vector2d& high) {
  VegetationConfig config;
  config.stands = {standOf(SpeciesConfig::Kind::kStems, density, low, high)};
  return config;
}

// Where the stems' and shrubs' feet are.
std::vector<Vector3d> feetOf(const Vegetation& vegetation) {
  std::vector<Vector3d> feet;
  for (const PlantInstance& instance : vegetation.instances) {
    for (const PlantCylinder& cylinder : vegetation.patches[instance.patch].cylinders) {
      if (cylinder.from.z() != 0.0F) continue;
      feet.push_back(vegetation.placed(instance, cylinder.from.cast<double>(), Vector2d::Zero()));
    }
  }
  return feet;
}

std::string complaintOf(const VegetationConfig& config) {
  try {
    plantVegetation(config, kBounds, slope, "garden.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Planting, StemsStandOnTheGroundAllOverTheirRegion) {
  const Vegetation vegetation =
      plantVegetation(grass(45.0, {-20, -10}, {10, 15}), kBounds, slope, "garden.yaml");
  const std::vector<Vector3d> feet = feetOf(vegetation);
  const double expected = 45.0 * 30.0 * 25.0;
  EXPECT_NEAR(static_cast<double>(feet.size()), expected, 0.05 * expected);
  int quarters[2][2] = {{0, 0}, {0, 0}};
  for (const Vector3d& foot : feet) {
    EXPECT_NEAR(foot.z(), heightAt(foot.head<2>()), 1e-4);
    EXPECT_GT(foot.x(), -20.001);
    EXPECT_LT(foot.x(), 10.001);
    EXPECT_GT(foot.y(), -10.001);
    EXPECT_LT(foot.y(), 15.001);
    ++quarters[foot.x() < -5.0 ? 0 : 1][foot.y() < 2.5 ? 0 : 1];
  }
  for (const auto& half : quarters) {
    for (const int count : half) EXPECT_NEAR(count, 0.25 * expected, 0.1 * expected);
  }
}

TEST(Planting, ShrubsStandSinglyAtAnyYawAndScale) {
  VegetationConfig config;
  config.stands = {standOf(SpeciesConfig::Kind::kShrub, 0.1, {-25, -25}, {25, 25})};
  config.stands[0].scale_min = 0.5;
  config.stands[0].scale_max = 2.0;
  const Vegetation vegetation = plantVegetation(config, kBounds, slope, "garden.yaml");
  EXPECT_NEAR(static_cast<double>(vegetation.instances.size()), 250.0, 1.0);
  float least = 9.0F, most = 0.0F, cosine = 0.0F;
  for (const PlantInstance& instance : vegetation.instances) {
    EXPECT_EQ(instance.width, instance.height);
    least = std::min(least, instance.width);
    most = std::max(most, instance.width);
    cosine += instance.yaw_cosine;
    EXPECT_LT(vegetation.patches[instance.patch].box().max().z(), 1.03F);
  }
  EXPECT_LT(least, 0.6F);
  EXPECT_GT(most, 1.9F);
  EXPECT_LT(std::abs(cosine), 50.0F);
  for (const Vector3d& foot : feetOf(vegetation)) {
    EXPECT_NEAR(foot.z(), heightAt(foot.head<2>()), 1e-4);
  }
}

TEST(Planting, IsTheSameForTheSameSeedAlone) {
  VegetationConfig config = grass(30.0, {0, 0}, {9, 9});
  const std::vector<Vector3d> once = feetOf(plantVegetation(config, kBounds, slope, "garden.yaml"));
  EXPECT_EQ(once, feetOf(plantVegetation(config, kBounds, slope, "garden.yaml")));
  config.seed = 2;
  EXPECT_NE(once, feetOf(plantVegetation(config, kBounds, slope, "garden.yaml")));
}

TEST(Planting, LeavesOutWhatIsOffTheMapOrHasNoGround) {
  const Vegetation vegetation =
      plantVegetation(grass(40.0, {25, 30}, {100, 100}), kBounds, slope, "garden.yaml");
  for (const Vector3d& foot : feetOf(vegetation)) {
    EXPECT_LT(foot.x(), 30.0);
    EXPECT_LT(foot.y(), 40.001);
  }
  EXPECT_FALSE(vegetation.instances.empty());
}

TEST(Planting, RefusesRegionsOffTheMap) {
  EXPECT_EQ(complaintOf(grass(10.0, {60, 0}, {70, 9})),
            "garden.yaml: stands[0]: region is (60, 0) to (70, 9) m, allowed: a part of the map's "
            "(-50.0, -40.0) to (50.0, 40.0) m");
  EXPECT_EQ(complaintOf(grass(10.0, {35, 0}, {40, 9})),
            "garden.yaml: stands[0]: region is (35, 0) to (40, 9) m, without any ground of the "
            "map, allowed: where the map has ground");
}

TEST(Planting, RefusesABillionBlades) {
  EXPECT_EQ(complaintOf(grass(2e5, {-50, -40}, {50, 40})),
            "garden.yaml: stands[0]: density is 200000 /m^2, 1.6e+09 plants in 3.2e+04 instances, "
            "allowed: at most 1e+08 plants in 2e+06 instances in all stands");
}

TEST(Planting, RefusesEndlessKindsOfPlants) {
  VegetationConfig config = grass(4e8, {0, 0}, {0.5, 0.5});
  config.stands[0].species.pieces = 16;
  EXPECT_EQ(complaintOf(config),
            "garden.yaml: stands[0]: species is 2.56e+10 stems, twigs and leaves in different "
            "patches, allowed: at most 2e+07 in all stands: fewer pieces, twigs, leaves or stems a "
            "square metre");
  config.stands.assign(60, standOf(SpeciesConfig::Kind::kShrub, 0.1, {-25, -25}, {25, 25}));
  for (StandConfig& stand : config.stands) stand.species.leaves = 100'000;
  EXPECT_NE(complaintOf(config).find("stands[24]: species is 2e+07"), std::string::npos)
      << complaintOf(config);
}

TEST(Planting, AStandOfLessThanOnePlantMayStayEmpty) {
  VegetationConfig config;
  config.stands = {standOf(SpeciesConfig::Kind::kShrub, 0.1, {-1, -1}, {1, 1})};
  std::size_t planted = 0;
  for (config.seed = 0; config.seed < 100; ++config.seed) {
    planted += plantVegetation(config, kBounds, slope, "garden.yaml").instances.size();
  }
  EXPECT_NEAR(static_cast<double>(planted), 40.0, 15.0);
}

TEST(Planting, RefusesWhatNoPlantHas) {
  VegetationConfig config = grass(-1.0, {0, 0}, {9, 9});
  EXPECT_EQ(complaintOf(config),
            "garden.yaml: stands[0]: density is -1, allowed: more than 0 /m^2");
  config = grass(1.0, {9, 0}, {0, 9});
  EXPECT_EQ(complaintOf(config),
            "garden.yaml: stands[0]: region is empty, allowed: a min below its max");
  config = grass(1.0, {0, 0}, {9, 9});
  config.stands[0].species.height_min = 0.0;
  EXPECT_NE(complaintOf(config).find("height is 0"), std::string::npos);
}

// Points of an obstacle: along the axis, around a thick stem, leaves; of plants that are none none.
TEST(Planting, ObstaclesArePointsThatNothingSlipsBetween) {
  Vegetation vegetation;
  vegetation.origin = {100, 200, 0};
  Patch patch;
  patch.cylinders = {{{0, 0, 0}, {0, 0, 1}, 0.02F, 100}, {{1, 0, 0}, {1, 0, 0.5}, 0.2F, 100}};
  patch.discs = {{{0, 0, 2}, {0, 0, 1}, 0.05F, 100}};
  vegetation.patches = {patch, patch};
  vegetation.patches[1].is_obstacle = true;
  for (const std::uint32_t number : {0U, 1U}) {
    PlantInstance& instance = vegetation.instances.emplace_back();
    instance.foot = {static_cast<float>(5 * number), 0, 0};
    instance.patch = number;
  }
  vegetation.instances[1].height = 2.0F;
  const std::vector<Vector3d> points = obstaclePoints(vegetation, 0.1, "garden.yaml");
  ASSERT_EQ(points.size(), 11U + 6U * (1U + 13U) + 1U);
  EXPECT_TRUE(points.front().isApprox(Vector3d(105, 200, 0)));
  EXPECT_TRUE(points.back().isApprox(Vector3d(105, 200, 4)));
  for (const Vector3d& p : points) EXPECT_GT(p.x(), 104.9);
  for (std::size_t i = 1; i < 11; ++i) EXPECT_NEAR((points[i] - points[i - 1]).norm(), 0.2, 1e-6);
  EXPECT_NEAR((points[12] - points[11]).norm(), 0.2, 1e-6) << "the thick one's skin";
}

TEST(Planting, SpeciesAreObstaclesWhereTheySaySo) {
  VegetationConfig config = grass(10.0, {0, 0}, {9, 9});
  EXPECT_FALSE(config.hasObstacles());
  EXPECT_TRUE(
      obstaclePoints(plantVegetation(config, kBounds, slope, "garden.yaml"), 0.1, "").empty());
  config.stands[0].species.is_obstacle = true;
  EXPECT_TRUE(config.hasObstacles());
  EXPECT_FALSE(
      obstaclePoints(plantVegetation(config, kBounds, slope, "garden.yaml"), 0.1, "").empty());
  config = grass(1200.0, {-50, -40}, {29, 40});
  config.stands[0].species.is_obstacle = true;
  try {
    obstaclePoints(plantVegetation(config, kBounds, slope, "garden.yaml"), 0.05, "garden.yaml");
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("garden.yaml: obstacle is true, of plants of "), 0U) << text;
    EXPECT_NE(text.find("allowed: at most 20000000: fewer plants"), std::string::npos) << text;
  }
}

TEST(Sway, LeansAndComesBackAsGustsGoBy) {
  const Sway sway{radians(10), radians(90), 2.0};
  EXPECT_NEAR(sway.most().y(), std::tan(radians(10)), 1e-6);
  EXPECT_NEAR(sway.shareAt(0.0, 0.0), 1.0, 1e-12);
  EXPECT_NEAR(sway.shareAt(1.0, 0.0), 0.0, 1e-12);
  EXPECT_NEAR(sway.shareAt(2.0, 0.0), 1.0, 1e-12);
  EXPECT_NEAR(sway.shareAt(0.5, 0.5 * Sway::kGustSpeed), 1.0, 1e-12);
  EXPECT_NEAR(sway.shareAt(0.7, 0.0), sway.shareAt(1234567 * 2.0 + 0.7, 0.0), 1e-6);
}

}  // namespace
}  // namespace marsim::scene
