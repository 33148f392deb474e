// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/point_spacing.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/random.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map {
namespace {

/// Points at random on a floor of 12 x 10 m, on average one a square of side `spacing`.
PointCloud floorOf(double spacing, double side = 1.0) {
  PointCloud cloud;
  RandomStream random(5);
  const double length = 12.0 * side, width = 10.0 * side;
  for (auto i = static_cast<std::size_t>(length * width / (spacing * spacing)); i > 0; --i) {
    const double x = random.uniform(0.0, length), y = random.uniform(0.0, width);
    cloud.points.emplace_back(static_cast<float>(x), static_cast<float>(y), 0.02F);
  }
  return cloud;
}

// The spacing is known from how the points were made, whether many lie in a voxel or one in many.
TEST(PointSpacing, IsThatOfThePointsAtAnyResolution) {
  for (const double spacing : {0.02, 0.05, 0.1, 0.2}) {
    for (const double resolution : {0.05, 0.1, 0.2}) {
      const auto voxels = downsample(floorOf(spacing), resolution);
      EXPECT_NEAR(measureSpacing(voxels, resolution).median, spacing, 0.15 * spacing)
          << spacing << " at " << resolution;
    }
  }
}

// More voxels than are looked at.
TEST(PointSpacing, ALargeMapIsSampled) {
  const auto voxels = downsample(floorOf(0.1, 6.0), 0.1);
  ASSERT_GT(voxels.size(), 200'000U);
  EXPECT_NEAR(measureSpacing(voxels, 0.1).median, 0.1, 0.015);
}

// Against holes found by throwing beams straight down.
TEST(PointSpacing, BeamsPassAsOftenAsAtRandomHoles) {
  const PointCloud cloud = floorOf(0.1);
  const double share = measureSpacing(downsample(cloud, 0.1), 0.1).passing;
  RandomStream random(8);
  int open = 0;
  constexpr int kProbes = 1000;
  for (int i = 0; i < kProbes; ++i) {
    const Eigen::Vector3f p(static_cast<float>(random.uniform(1, 11)),
                            static_cast<float>(random.uniform(1, 9)), 0.02F);
    const bool met = std::any_of(cloud.points.begin(), cloud.points.end(), [&](const auto& q) {
      return (p - q).norm() < 0.0866F;  // half the diagonal of a voxel
    });
    open += met ? 0 : 1;
  }
  EXPECT_NEAR(share, static_cast<double>(open) / kProbes, 0.06);
}

TEST(PointSpacing, SparsePointsNeedALargerResolution) {
  EXPECT_EQ(measureSpacing(downsample(floorOf(0.02), 0.1), 0.1).advised_resolution, 0.05);
  EXPECT_EQ(measureSpacing(downsample(floorOf(0.2), 0.1), 0.1).advised_resolution, 0.5);
  EXPECT_GT(measureSpacing(downsample(floorOf(0.2), 0.1), 0.1).passing, 0.3);
  EXPECT_LT(measureSpacing(downsample(floorOf(0.02), 0.1), 0.1).passing, 0.001);
  EXPECT_EQ(measureSpacing({}, 0.1).median, 0.0);
}

// A hundred points in the air, about 3 m apart, over a floor of 12000.
TEST(PointSpacing, StrayPointsAreCounted) {
  PointCloud cloud = floorOf(0.1);
  RandomStream random(6);
  for (int i = 0; i < 100; ++i) {
    const double x = random.uniform(0.0, 12.0), y = random.uniform(0.0, 10.0);
    const double z = random.uniform(2.0, 20.0);
    cloud.points.push_back(Eigen::Vector3d(x, y, z).cast<float>());
  }
  const PointCloud voxels = downsample(cloud, 0.1);
  const double share = 100.0 / static_cast<double>(voxels.size());
  EXPECT_NEAR(measureSpacing(voxels, 0.1).isolated, share, 4.0 * std::sqrt(share / 4000.0));
  EXPECT_EQ(measureSpacing(downsample(floorOf(0.1), 0.1), 0.1).isolated, 0.0);
}

TEST(PointSpacing, BeamsPassNoHolesThatAreFilled) {
  const auto voxels = downsample(floorOf(0.2), 0.1);
  EXPECT_GT(measureSpacing(voxels, 0.1).passing, 0.3);
  EXPECT_LT(measureSpacing(voxels, 0.1, 0.6).passing, 0.03);
}

TEST(PointSpacing, ImagesAreFinerWherePointsAreDense) {
  MapSource source;
  source.spacing.median = 0.05;
  EXPECT_EQ(imageResolution(source, 0.1), 0.05);
  EXPECT_EQ(imageResolution(source, 0.02), 0.02) << "as fine as the map already is";
  source.spacing.median = 0.06;
  EXPECT_EQ(imageResolution(source, 0.1), 0.1);
  EXPECT_EQ(imageResolution(MapSource{}, 0.1), 0.1) << "of too few points";
}

TEST(PointSpacing, AdviceIsAWarningWhereBeamsPass) {
  MapSource source;
  source.spacing = {0.2, 0.33, 0.5};
  EXPECT_TRUE(adviseOn(source, 0.1).is_bad);
  EXPECT_EQ(adviseOn(source, 0.1).text,
            "points are 0.2 m apart: at a resolution of 0.1 m 33 % of beams pass between them, "
            "advised is 0.5 m");
  source.spacing = {0.02, 0.0, 0.05};
  EXPECT_FALSE(adviseOn(source, 0.1).is_bad);
  EXPECT_NE(adviseOn(source, 0.1).text.find("under 0.1 % of beams"), std::string::npos);
  EXPECT_FALSE(adviseOn(MapSource{}, 0.1).is_bad);
  source.spacing.isolated = 0.012;
  EXPECT_TRUE(adviseOn(source, 0.1).is_bad);
  EXPECT_NE(adviseOn(source, 0.1).text.find("1.2 % of the voxels are isolated"), std::string::npos);
}

}  // namespace
}  // namespace marsim::map
