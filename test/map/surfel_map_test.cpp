// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/map/surfel_map.hpp"

#include <cmath>
#include <string>

#include "map/test_files.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3f;

SurfelMap build(const PointCloud& cloud, const SurfelMapConfig& config) {
  return SurfelMap::build(cloud, config);
}

std::string validationError(const SurfelMapConfig& config) {
  try {
    config.validate("sim.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SurfelMapConfig, NamesFieldValueAndBound) {
  SurfelMapConfig config;
  EXPECT_EQ(validationError(config), "no error");
  config.resolution = 0.0;
  EXPECT_EQ(validationError(config),
            "sim.yaml: resolution is 0, allowed: more than 0, up to 10000 m");
  config = {};
  config.normal_radius_factor = 0.5;
  EXPECT_EQ(validationError(config), "sim.yaml: normal_radius_factor is 0.5, allowed: 1 to 100");
  config = {};
  config.planar_factor = std::nan("");
  EXPECT_EQ(validationError(config), "sim.yaml: planar_factor is nan, allowed: 0 or more");
}

TEST(SurfelMap, DerivesRadiusThresholdAndBounds) {
  SurfelMapConfig config;
  config.resolution = 0.2;
  const SurfelMap map({{Vector3f(1.0F, -2.0F, 3.0F), Vector3f::UnitX(), 0.049F},
                       {Vector3f(-1.0F, 5.0F, 3.5F), Vector3f::UnitY(), 0.051F}},
                      config);
  EXPECT_EQ(map.size(), 2U);
  EXPECT_FLOAT_EQ(map.radius(), 0.17320508F);
  EXPECT_FLOAT_EQ(map.planarThreshold(), 0.05F);
  for (const Surfel& surfel : map.surfels()) {
    const bool first = surfel.position.y() < 0.0F;
    EXPECT_EQ(map.isPlanar(surfel), first);
    EXPECT_TRUE(surfel.normal.isApprox(first ? Vector3f::UnitX() : Vector3f::UnitY(), 1e-3F));
  }
  EXPECT_DOUBLE_EQ(map.planarShare(), 0.5);
  EXPECT_TRUE(map.bounds().min().isApprox(Vector3f(-1.0F, -2.0F, 3.0F), 1e-4F));
  EXPECT_TRUE(map.bounds().max().isApprox(Vector3f(1.0F, 5.0F, 3.5F), 1e-4F));
}

TEST(SurfelMap, KeepsWhereItIsFarFromTheOrigin) {
  const Vector3f far(5000.0F, -7000.0F, 12.5F);
  const SurfelMap map({{far, Vector3f::UnitX(), 0.0F},
                       {far + Vector3f(0.25F, 0.5F, 1.0F), Vector3f::UnitY(), 1.0F}},
                      {});
  EXPECT_LT((map.bounds().min() - far).norm(), 0.001F);
  EXPECT_FALSE(map.origin().isZero());
  const PointCloud positions = map.positions();
  ASSERT_EQ(positions.size(), 2U);
  EXPECT_LT((positions.points[0] - far).norm(), 1.2F);
  EXPECT_GT((positions.points[0] - positions.points[1]).norm(), 1.1F);
}

TEST(SurfelMap, MayBeEmpty) {
  const SurfelMap map({}, {});
  EXPECT_TRUE(map.bounds().isEmpty());
  EXPECT_EQ(map.planarShare(), 0.0);
}

TEST(SurfelMap, BuildKeepsOneSurfelAVoxelAndSeesTheFloor) {
  PointCloud cloud;
  for (int x = 0; x < 200; ++x) {
    for (int y = 0; y < 200; ++y) cloud.points.emplace_back(0.02F * x, 0.02F * y, 0.05F);
  }
  const SurfelMap map = build(cloud, {});
  EXPECT_NEAR(static_cast<double>(map.size()), 1600.0, 41.0);  // 4 m x 4 m, borders in float
  EXPECT_EQ(map.planarShare(), 1.0);
  for (const Surfel& surfel : map.surfels()) {
    EXPECT_NEAR(std::abs(surfel.normal.z()), 1.0F, 1e-5F);
  }
}

TEST(SurfelMap, BuildRefusesWhatMakesNoMap) {
  EXPECT_THROW(build({}, {}), Error);
  PointCloud cloud;
  cloud.points = {{0.0F, 0.0F, 0.0F}, {1.0F, 1.0F, 1.0F}};
  SurfelMapConfig config;
  config.resolution = 2.0;
  EXPECT_EQ(build(cloud, config).size(), 1U);
  config.resolution = -1.0;
  EXPECT_THROW(build(cloud, config), ConfigError);
}

// Noise leaves most of a real wall's surfels thick; smoothing makes them planar.
TEST(SurfelMap, RealBuildingIsMostlyPlanar) {
  if (realDataFolder().empty()) GTEST_SKIP() << "MARSIM_REAL_DATA is not set";
  const LoadedCloud loaded = loadQuietly(realDataFolder() / "building_indoor_2storey.pcd");
  const std::pair<Surface, double> least_planar[] = {{Surface::kPaper, 0.4},
                                                     {Surface::kBlended, 0.9}};
  for (const auto& [surface, planar] : least_planar) {
    SurfelMapConfig config;
    config.surface = surface;
    const SurfelMap map = build(loaded.cloud, config);
    EXPECT_GT(map.size(), 50000U);
    EXPECT_LT(map.size(), loaded.cloud.size());
    EXPECT_GT(map.planarShare(), planar);
    EXPECT_EQ(map.blending().on(), surface == Surface::kBlended);
    // Two floors and their ceilings: the commonest normal of a building is upright.
    std::size_t upright = 0;
    for (const Surfel& surfel : map.surfels()) {
      ASSERT_NEAR(surfel.normal.norm(), 1.0F, 1e-5F);
      upright += map.isPlanar(surfel) && std::abs(surfel.normal.z()) > 0.95F ? 1 : 0;
    }
    EXPECT_GT(static_cast<double>(upright) / static_cast<double>(map.size()), 0.15);
  }
}

}  // namespace
}  // namespace marsim::map
