// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/map/voxel_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

PointCloud randomCloud(std::size_t count, double half_side) {
  RandomStream random(17);
  PointCloud cloud;
  for (std::size_t i = 0; i < count; ++i) {
    cloud.points.emplace_back(random.uniform(-half_side, half_side),
                              random.uniform(-half_side, half_side), random.uniform(-1.0, 1.0));
    cloud.intensity.push_back(static_cast<float>(random.index(256)));
  }
  return cloud;
}

struct Sum {
  Vector3d position = Vector3d::Zero();
  double intensity = 0.0;
  double count = 0.0;
};

using Voxels = std::map<std::array<long, 3>, Sum>;

std::array<long, 3> voxelOf(const Vector3f& point, double resolution) {
  std::array<long, 3> voxel;
  for (int i = 0; i < 3; ++i) {
    voxel[static_cast<std::size_t>(i)] =
        std::lround(std::floor(static_cast<double>(point[i]) / resolution));
  }
  return voxel;
}

Voxels bruteForce(const PointCloud& cloud, double resolution) {
  Voxels voxels;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    Sum& sum = voxels[voxelOf(cloud.points[i], resolution)];
    sum.position += cloud.points[i].cast<double>();
    sum.intensity += static_cast<double>(cloud.intensity[i]);
    sum.count += 1.0;
  }
  return voxels;
}

TEST(Downsample, MeansEqualBruteForce) {
  const PointCloud cloud = randomCloud(20000, 5.0);
  for (const double resolution : {0.05, 0.1, 0.3, 2.0}) {
    const Voxels expected = bruteForce(cloud, resolution);
    const PointCloud means = downsample(cloud, resolution);
    ASSERT_EQ(means.size(), expected.size());
    ASSERT_EQ(means.intensity.size(), expected.size());
    for (std::size_t i = 0; i < means.size(); ++i) {
      const Vector3d mean = means.points[i].cast<double>();
      const Sum& sum = expected.at(voxelOf(means.points[i], resolution));
      EXPECT_LT((mean - sum.position / sum.count).norm(), 1e-6);
      EXPECT_NEAR(means.intensity[i], sum.intensity / sum.count, 1e-4);
    }
  }
}

TEST(Downsample, BordersBelongToTheUpperVoxel) {
  PointCloud cloud;
  for (const float x : {-0.5F, -0.25F, -0.0F, 0.0F, 0.25F, 0.4999F, 0.5F}) {
    cloud.points.emplace_back(x, 0.0F, 0.0F);
  }
  const PointCloud means = downsample(cloud, 0.5);
  ASSERT_EQ(means.size(), 3U);
  EXPECT_FLOAT_EQ(means.points[0].x(), -0.375F);
  EXPECT_FLOAT_EQ(means.points[1].x(), 0.7499F / 4.0F);
  EXPECT_FLOAT_EQ(means.points[2].x(), 0.5F);
  EXPECT_FALSE(means.hasIntensity());
}

TEST(Downsample, IsInTheOrderOfKeysWhateverTheInputsOrder) {
  PointCloud cloud = randomCloud(5000, 5.0);
  const PointCloud means = downsample(cloud, 0.2);
  EXPECT_TRUE(std::is_sorted(
      means.points.begin(), means.points.end(),
      [](const Vector3f& a, const Vector3f& b) { return voxelKey(a, 0.2) < voxelKey(b, 0.2); }));
  std::reverse(cloud.points.begin(), cloud.points.end());
  const PointCloud again = downsample(cloud, 0.2);
  ASSERT_EQ(again.size(), means.size());
  for (std::size_t i = 0; i < means.size(); ++i) {
    EXPECT_LT((again.points[i] - means.points[i]).norm(), 1e-6F);
  }
}

TEST(Downsample, DoesNotDependOnTheNumberOfThreads) {
  const PointCloud cloud = randomCloud(50000, 5.0);
  const auto run = [&](std::size_t threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    return downsample(cloud, 0.2);
  };
  const PointCloud one = run(1);
  const PointCloud many = run(7);
  EXPECT_EQ(one.points, many.points);
  EXPECT_EQ(one.intensity, many.intensity);
}

TEST(Downsample, ClustersAHundredKilometresApart) {
  // Floats at 100 km are 8 mm apart, so a lattice of 1/128 m loses nothing.
  PointCloud cloud;
  for (const float centre : {-1e5F, 0.0F, 1e5F}) {
    for (int i = 0; i < 1000; ++i) {
      cloud.points.emplace_back(centre + static_cast<float>(i) / 128.0F, -centre, 2.0F);
      cloud.intensity.push_back(0.0F);
    }
  }
  const PointCloud means = downsample(cloud, 0.1);
  EXPECT_EQ(means.size(), bruteForce(cloud, 0.1).size());
  for (const Vector3f& mean : means.points) EXPECT_EQ(mean.z(), 2.0F);
}

TEST(VoxelKey, IsUniqueOverTheWholeRange) {
  std::map<std::uint64_t, std::array<int, 3>> seen;
  for (int x = -1048576; x < 1048576; x += 149796) {
    for (int y = -1048576; y < 1048576; y += 149796) {
      for (int z = -1048576; z < 1048576; z += 149796) {
        const std::uint64_t key = voxelKey(
            Vector3f(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)), 1.0);
        EXPECT_TRUE(seen.emplace(key, std::array<int, 3>{x, y, z}).second);
      }
    }
  }
}

TEST(VoxelKey, ThrowsOutsideTheRange) {
  EXPECT_NO_THROW(voxelKey(Vector3f(1048575.0F, -1048576.0F, 0.0F), 1.0));
  EXPECT_THROW(voxelKey(Vector3f(1048576.0F, 0.0F, 0.0F), 1.0), Error);
  EXPECT_THROW(voxelKey(Vector3f(0.0F, -1048577.0F, 0.0F), 1.0), Error);
  EXPECT_THROW(voxelKey(Vector3f(0.0F, 0.0F, NAN), 1.0), Error);
  EXPECT_THROW(voxelKey(Vector3f(INFINITY, 0.0F, 0.0F), 1.0), Error);
  EXPECT_THROW(voxelKey(Vector3f(1.0F, 0.0F, 0.0F), 1e-320), Error);
  PointCloud far = randomCloud(1000, 5.0);
  far.points.emplace_back(2e5F, 0.0F, 0.0F);
  far.intensity.push_back(0.0F);
  EXPECT_THROW(downsample(far, 0.1), Error);
}

std::string downsamplingError(const PointCloud& cloud, double resolution) {
  try {
    downsample(cloud, resolution);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Downsample, RefusesResolutionsThatMakeNoMap) {
  PointCloud cloud;
  cloud.points = {{0.0F, 0.0F, 0.0F}, {3.0F, 4.0F, 1.0F}};
  EXPECT_EQ(downsamplingError(cloud, 0.0), "resolution is 0, allowed: more than 0 m");
  EXPECT_EQ(downsamplingError(cloud, -0.1), "resolution is -0.1, allowed: more than 0 m");
  EXPECT_EQ(downsamplingError(cloud, NAN), "resolution is nan, allowed: more than 0 m");
  EXPECT_EQ(downsamplingError(cloud, INFINITY), "resolution is inf, allowed: more than 0 m");
  EXPECT_EQ(downsamplingError(cloud, 4.5), "no error");
}

TEST(Downsample, MeansOfManyVoxelsInAnyOrder) {
  const PointCloud cloud = randomCloud(200000, 5.0);
  std::map<std::uint64_t, std::pair<Eigen::Vector3d, int>> sums;
  for (const Vector3f& point : cloud.points) {
    auto& [sum, count] =
        sums.try_emplace(voxelKey(point, 0.2), Eigen::Vector3d::Zero(), 0).first->second;
    sum += point.cast<double>();
    ++count;
  }
  const PointCloud means = downsample(cloud, 0.2);
  ASSERT_EQ(means.size(), sums.size());
  std::size_t i = 0;
  for (const auto& [key, voxel] : sums) {
    ASSERT_EQ(means.points[i++], (voxel.first / voxel.second).cast<float>());
  }
}

TEST(Downsample, NothingOfNothing) { EXPECT_TRUE(downsample({}, 0.1).empty()); }

}  // namespace
}  // namespace marsim::map
