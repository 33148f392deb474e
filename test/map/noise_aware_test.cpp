// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/noise_aware.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <Eigen/Geometry>

#include "map/make/noise_sample.hpp"
#include "map/test_files.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3d;

constexpr double kNoise = 0.02;  // [m]

/// Points of a rectangle from the origin along x and y, moved off it, then turned and shifted.
PointCloud noisyPlate(double x, double y, int points, const Eigen::Isometry3d& pose) {
  RandomStream random(4);
  PointCloud cloud;
  for (int i = 0; i < points; ++i) {
    const double u = random.uniform(0.0, x);
    const double v = random.uniform(0.0, y);
    const double off = kNoise * random.normal();
    cloud.points.push_back((pose * Vector3d(u, v, off)).cast<float>());
  }
  return cloud;
}

Eigen::Isometry3d somePose() {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.rotate(Eigen::AngleAxisd(0.7, Vector3d(1.0, 2.0, -0.5).normalized()));
  pose.translation() = Vector3d(3.0, -1.0, 2.0);
  return pose;
}

SurfelMapConfig configOf(double resolution) {
  SurfelMapConfig config;
  config.resolution = resolution;
  config.surface = Surface::kBlended;
  return config;
}

SurfelSet made(const PointCloud& cloud, const SurfelMapConfig& config) {
  const double noise = config.noise > 0.0 ? config.noise : measureNoise(cloud);
  return makeNoiseAwareSurfels(downsample(cloud, config.resolution), noise, config);
}

/// A room's floor and two walls, `side` [m] wide, and a pillar, of points at random with noise
/// across their surfaces.
PointCloud noisyRoom(double side, int points, double noise) {
  RandomStream random(6);
  PointCloud cloud;
  for (int i = 0; i < points; ++i) {
    const double u = random.uniform(0.0, side), v = random.uniform(0.0, side);
    const double off = noise * random.normal(), angle = random.uniform(0.0, 2.0 * kPi);
    const double round = 0.1 * side + off;
    const std::array<Vector3d, 4> places = {
        Vector3d(u, v, off), Vector3d(off, u, v), Vector3d(u, off, v),
        Vector3d(0.5 * side + round * std::cos(angle), 0.5 * side + round * std::sin(angle), v)};
    const std::size_t surface = static_cast<std::size_t>(i) % 10;  // few on the pillar
    cloud.points.push_back(places[std::min<std::size_t>(surface / 3, 3)].cast<float>());
  }
  return cloud;
}

TEST(NoiseAware, MeasuresTheNoiseOfAPlate) {
  const PointCloud cloud = noisyPlate(3.0, 3.0, 60'000, somePose());
  EXPECT_NEAR(measureNoise(cloud), kNoise, 0.05 * kNoise);
  PointCloud flat;
  for (int i = 0; i < 10'000; ++i) {
    flat.points.emplace_back(0.01F * static_cast<float>(i % 100),
                             0.01F * static_cast<float>(i / 100), 1.0F);
  }
  EXPECT_LT(measureNoise(flat), 1e-3);
  EXPECT_EQ(measureNoise({}), 0.0);
}

// Dense and sparse sources, little and much noise.
TEST(NoiseAware, NoiseIsThatOfTheSourceWhateverTheResolution) {
  struct Source {
    double noise;
    int points;
  };
  for (const auto& [noise, points] : {Source{0.005, 100'000}, Source{0.02, 100'000},
                                      Source{0.05, 100'000}, Source{0.02, 10'000}}) {
    const PointCloud cloud = noisyRoom(3.0, points, noise);
    for (const double r : {0.1, 0.05, 0.02}) {
      const SurfelMap map = SurfelMap::build(cloud, configOf(r));
      EXPECT_NEAR(static_cast<double>(map.noise()) / noise, 1.0, 0.1) << noise << " at " << r;
    }
  }
  EXPECT_NEAR(measureNoise(noisyRoom(80.0, 60'000, 0.05)) / 0.05, 1.0, 0.1) << "as sparse as from "
                                                                               "the air";
}

// From more points than the sample keeps.
TEST(NoiseAware, NoiseDoesNotDependOnTheOrderOfThePoints) {
  PointCloud cloud = noisyRoom(4.0, 200'000, kNoise);
  const auto measured = [&](std::size_t block) {
    NoiseSample sample(30'000);
    for (std::size_t begin = 0; begin < cloud.size(); begin += block) {
      const auto first = cloud.points.begin() + static_cast<std::ptrdiff_t>(begin);
      const std::size_t count = std::min(block, cloud.size() - begin);
      sample.add({first, first + static_cast<std::ptrdiff_t>(count)});
    }
    return sample.noise();
  };
  const double noise = measured(cloud.size());
  EXPECT_NEAR(noise / kNoise, 1.0, 0.1);
  EXPECT_EQ(measured(7'777), noise);
  std::reverse(cloud.points.begin(), cloud.points.end());
  EXPECT_EQ(measured(100), noise);
}

// From a real scan.
TEST(NoiseAware, NoiseOfARealBuildingIsTheSameAtAnyResolution) {
  if (realDataFolder().empty()) GTEST_SKIP() << "MARSIM_REAL_DATA is not set";
  const auto path = realDataFolder() / "building_indoor_2storey.pcd";
  MapLoading loading;
  loading.use_cache = false;
  const float coarse = loadSurfelMap(path, configOf(0.1), Progress::none(), loading).map->noise();
  const float fine = loadSurfelMap(path, configOf(0.05), Progress::none(), loading).map->noise();
  EXPECT_EQ(coarse, fine);
  EXPECT_NEAR(coarse, 0.0075F, 0.0005F);  // as recorded
}

TEST(NoiseAware, APlateBecomesOneFlatLayerThatEndsWhereItDoes) {
  for (const double r : {0.1, 0.05, 0.02}) {
    const Eigen::Isometry3d pose = somePose();
    const SurfelSet set = made(noisyPlate(2.0, 1.5, 150'000, pose), configOf(r));
    const double disc = 0.5 * std::sqrt(3.0) * r;
    double squares = 0.0;
    std::size_t outside = 0, tilted = 0;
    for (const Surfel& surfel : set.surfels) {
      ASSERT_LT(surfel.thickness, set.planar_threshold);
      const Vector3d p = pose.inverse() * surfel.position.cast<double>();
      squares += p.z() * p.z();
      const Vector3d normal = pose.rotation().transpose() * surfel.normal.cast<double>();
      tilted += std::abs(normal.z()) < 0.97 ? 1 : 0;
      const double beyond = disc + std::max({-p.x(), p.x() - 2.0, -p.y(), p.y() - 1.5});
      outside += beyond > 0.01 + 0.2 * r ? 1 : 0;
    }
    const auto count = static_cast<double>(set.surfels.size());
    EXPECT_LT(std::sqrt(squares / count), 0.25 * kNoise) << "r " << r;
    // A few at the edges show more of the noise than of the plate.
    EXPECT_LT(static_cast<double>(tilted), 0.02 * count) << "r " << r;
    EXPECT_LT(static_cast<double>(outside), 0.02 * count) << "r " << r;
    // A layer cut by a lattice at any angle: at most three voxels of its side a square.
    EXPECT_LT(count, 3.0 * 2.0 * 1.5 / (r * r)) << "r " << r;
  }
}

TEST(NoiseAware, ARodBecomesAChainOfDiscsAlongIt) {
  RandomStream random(5);
  PointCloud cloud;
  for (int i = 0; i < 6000; ++i) {
    const double x = kNoise * random.normal();
    const double y = kNoise * random.normal();
    cloud.points.push_back(Vector3d(x, y, random.uniform(0.0, 2.0)).cast<float>());
  }
  SurfelMapConfig config = configOf(0.05);
  config.noise = kNoise;
  config.smoothing_radius = 0.15;
  const SurfelSet set = made(cloud, config);
  EXPECT_GT(set.surfels.size(), 30U);
  for (const Surfel& surfel : set.surfels) {
    ASSERT_LT(surfel.thickness, set.planar_threshold);
    EXPECT_LT(surfel.position.head<2>().norm(), 0.02F);
    EXPECT_LT(std::abs(surfel.normal.z()), 0.4F);
  }
}

TEST(NoiseAware, AnEdgeStaysAnEdge) {
  const PointCloud floor = noisyPlate(1.5, 1.5, 60'000, Eigen::Isometry3d::Identity());
  PointCloud cloud = floor;
  for (const Eigen::Vector3f& p : floor.points) cloud.points.emplace_back(p.z(), p.y(), p.x());
  const SurfelSet set = made(cloud, configOf(0.05));
  std::size_t off = 0;
  for (const Surfel& surfel : set.surfels) {
    const float to_nearer = std::min(std::abs(surfel.position.x()), std::abs(surfel.position.z()));
    off += to_nearer > 0.012F ? 1 : 0;
  }
  EXPECT_LT(static_cast<double>(off), 0.03 * static_cast<double>(set.surfels.size()));
}

TEST(NoiseAware, DefaultsFollowTheNoise) {
  SurfelMapConfig config = configOf(0.05);
  config.noise = 0.04;
  const PointCloud cloud = noisyPlate(1.0, 1.0, 20'000, somePose());
  SurfelSet set = made(cloud, config);
  EXPECT_FLOAT_EQ(set.noise, 0.04F);
  EXPECT_FLOAT_EQ(set.planar_threshold, 0.12F);
  EXPECT_FLOAT_EQ(set.blending.depth, 0.08F);
  config.noise = 0.001;
  set = made(cloud, config);
  EXPECT_FLOAT_EQ(set.planar_threshold, 0.05F);
  EXPECT_FLOAT_EQ(set.blending.depth, 0.05F);
  config.noise = 0.5;
  EXPECT_FLOAT_EQ(made(cloud, config).blending.depth, 0.15F);
  config.blending_depth = 0.0;
  EXPECT_FALSE(made(cloud, config).blending.on());
}

TEST(NoiseAware, TheNumberOfThreadsChangesNothing) {
  const PointCloud cloud = noisyPlate(2.0, 2.0, 50'000, somePose());
  const SurfelSet several = made(cloud, configOf(0.03));
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const SurfelSet alone = made(cloud, configOf(0.03));
  ASSERT_EQ(alone.surfels.size(), several.surfels.size());
  EXPECT_EQ(std::memcmp(alone.surfels.data(), several.surfels.data(),
                        alone.surfels.size() * sizeof(Surfel)),
            0);
}

TEST(NoiseAware, FewPointsStayWhereTheyAre) {
  PointCloud cloud;
  cloud.points = {{1.0F, 2.0F, 3.0F}, {50.0F, 2.0F, 3.0F}};
  const SurfelSet set = made(cloud, configOf(0.1));
  ASSERT_EQ(set.surfels.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(set.surfels[i].position, cloud.points[i]);
    EXPECT_GE(set.surfels[i].thickness, set.planar_threshold);
  }
}

TEST(NoiseAware, RefusesSettingsOutOfBounds) {
  SurfelMapConfig config = configOf(0.1);
  config.noise = -0.1;
  PointCloud two;
  two.points = {{0.0F, 0.0F, 0.0F}, {1.0F, 0.0F, 0.0F}};
  EXPECT_THROW(made(two, config), ConfigError);
}

}  // namespace
}  // namespace marsim::map
