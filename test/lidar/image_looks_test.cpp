// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lidar/renderer_suite.hpp"
#include "marsim/common/random.hpp"

/// Looks of surfaces in images, compared with the definition of blending in double precision.
namespace marsim::lidar {
namespace {

/// Random bytes, three for each side of a surfel, each channel with values of its own.
struct RandomColours {
  explicit RandomColours(std::size_t surfels) : bytes(6 * surfels) {
    RandomStream random(31);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
    colours.step = 6;
    colours.to_back = 3;
    for (int i = 0; i < 3; ++i) {
      colours.bytes[i] = bytes.data() + i;
      for (int byte = 0; byte < 256; ++byte) {
        colours.values[i][byte] = static_cast<float>((i + 1) * byte) / 255.0F;
      }
    }
  }

  std::vector<std::uint8_t> bytes;
  SurfelColours colours;
};

struct Expected {
  Eigen::Vector3d colour = Eigen::Vector3d::Zero(), normal = Eigen::Vector3d::Zero();
};

Expected expectedOf(const OracleResult& result, const std::vector<map::Surfel>& surfels,
                    const SurfelColours& colours, const Eigen::Vector3d& direction) {
  Expected expected;
  double sum = 0.0;
  for (const auto& [surfel, weight] : result.weights) {
    sum += weight;
    const Eigen::Vector3d n = surfels[surfel].normal.cast<double>();
    const bool is_back = n.dot(direction) > 0.0;
    expected.colour += weight * colours.of(surfel, is_back).cast<double>();
    expected.normal += (is_back ? -weight : weight) * n;
  }
  expected.colour /= sum;
  return expected;
}

TEST(SurfaceLooks, AreMeansByTheWeightsOfBlending) {
  for (const SimdLevel level : simdLevels()) {
    SCOPED_TRACE(nameOf(level));
    const Map paper = roomMap({1.5, 1.2, 1.0}, 0.1, Kind::kMixed);
    const Map map = storedFor({"", nullptr, {}, "", true}, paper);
    const std::vector<map::Surfel> surfels = map->surfels();
    const RandomColours random(map->size());
    RendererConfig config;
    config.simd = level;
    config.threads = 3;
    const auto renderer = makeDepthImageRenderer(map, config);
    const ImageGrid grid = pinholeGrid(70, 50, 45.0);
    const Pose X_WC{fromRollPitchYaw(0.1, 0.2, 0.7), {0.3, -0.2, 0.1}};
    std::vector<Hit> hits, alone;
    SurfaceLooks looks;
    ASSERT_TRUE(renderer->renderLooksAt(0, grid, X_WC, 12.0, {}, random.colours, hits, looks));
    renderer->renderImage(grid, X_WC, 12.0, alone);
    const std::vector<OracleRay> rays = imageRays(grid, X_WC, 12.0);
    const Oracle oracle(*map);
    int planar = 0, balls = 0, mixed = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      ASSERT_EQ(hits[i].range, alone[i].range);
      ASSERT_EQ(hits[i].surfel, alone[i].surfel);
      if (!hits[i].valid()) continue;
      const OracleResult result = oracle.trace(rays[i]);
      if (result.ambiguous) continue;
      const Expected expected = expectedOf(result, surfels, random.colours, rays[i].direction);
      const Eigen::Vector3d colour(looks.colour[0][i], looks.colour[1][i], looks.colour[2][i]);
      const Eigen::Vector3d normal(looks.normal[0][i], looks.normal[1][i], looks.normal[2][i]);
      if (surfels[hits[i].surfel].thickness > map->planarThreshold()) {
        ++balls;
        EXPECT_EQ(colour.cast<float>(), random.colours.of(hits[i].surfel)) << i;
        EXPECT_EQ(normal, Eigen::Vector3d::Zero()) << i;
        continue;
      }
      ++planar;
      mixed += result.weights.size() > 1 ? 1 : 0;
      EXPECT_LT((colour - expected.colour).norm(), 0.02) << i;
      EXPECT_LT((normal - expected.normal).norm(), 0.02) << i;
    }
    EXPECT_GT(planar, 300);
    EXPECT_GT(balls, 300);
    EXPECT_GT(mixed, 100);
  }
}

TEST(SurfaceLooks, AreNotKnownOfMapsThatAreNotBlended) {
  const Map map = scatteredMap(13, 100, 3.0, 0.3, Kind::kPlanar);
  const RandomColours random(map->size());
  std::vector<Hit> hits;
  SurfaceLooks looks;
  EXPECT_FALSE(makeDepthImageRenderer(map, {})->renderLooksAt(
      0, pinholeGrid(20, 10, 9.0), Pose{}, 9.0, {}, random.colours, hits, looks));
  EXPECT_EQ(hits.size(), 200U);
}

}  // namespace
}  // namespace marsim::lidar
