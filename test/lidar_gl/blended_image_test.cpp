// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "lidar/renderer_suite.hpp"

namespace marsim::lidar {
namespace {

// A wall, and another one behind it by the most that still belongs to the surface, give or take
// what single precision cannot tell. The oracle calls such rays ambiguous; all renderers have to
// decide alike.
Map doubleWall() {
  constexpr double kResolution = 0.1, kMostOffset = 0.07, kSpread = 3e-5;
  RandomStream random(31);
  std::vector<map::Surfel> surfels;
  for (double y = -3.0; y < 3.0; y += 0.07) {
    for (double z = -2.0; z < 2.0; z += 0.07) {
      const double behind = kMostOffset + random.uniform(-kSpread, kSpread);
      for (const double x : {5.0, 5.0 + behind}) {
        surfels.push_back({Eigen::Vector3d(x, y, z).cast<float>(), Eigen::Vector3f::UnitX(), 0.0F});
      }
    }
  }
  map::SurfelMapConfig config;
  config.resolution = kResolution;
  return std::make_shared<const map::SurfelMap>(
      std::move(surfels), config, map::Blending{0.17F, 0.8F, static_cast<float>(kMostOffset)});
}

TEST(BlendedImage, SurfelsAtTheBoundOfTheSurface) {
  const Map map = doubleWall();
  const ImageGrid grid = sphericalGrid(60, 80, -25, 25, -17, 17);
  std::vector<Hit> expected;
  makeRayCaster(map, {})->renderImage(grid, Pose{}, 12.0, expected);
  for (const Maker& maker : makersUnderTest()) {
    if (!maker.blended) continue;
    std::vector<Hit> hits;
    maker.make(map, maker.config).images->renderImage(grid, Pose{}, 12.0, hits);
    ASSERT_EQ(hits.size(), expected.size());
    int valid = 0, different = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (hits[i].valid()) ++valid;
      if (!(std::abs(hits[i].range - expected[i].range) < 1e-3F)) ++different;
    }
    EXPECT_EQ(valid, 60 * 80) << maker.label;
    EXPECT_EQ(different, 0) << maker.label;
  }
}

}  // namespace
}  // namespace marsim::lidar
