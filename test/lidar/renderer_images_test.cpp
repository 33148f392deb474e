// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "lidar/renderer_suite.hpp"

namespace marsim::lidar {
namespace {

TEST_P(RendererTest, ImagesOfRandomSets) {
  for (const Kind kind : {Kind::kPlanar, Kind::kNotPlanar, Kind::kMixed}) {
    const Map map = scatteredMap(13, 6000, 6.0, 0.15, kind);
    RandomStream random(14);
    for (int i = 0; i < 3; ++i) {
      const Pose X_WS{expMap(randomInCube(random, 1.8)), randomInCube(random, 3.0)};
      expectMeaningful(checkImage(map, sphericalGrid(70, 50, -35, 35, -38, 38), X_WS, 12.0));
      expectMeaningful(checkImage(map, pinholeGrid(70, 50, 45.0), X_WS, 12.0));
    }
  }
}

TEST_P(RendererTest, ImagesAcrossTheSeam) {
  const Map map = scatteredMap(15, 5000, 6.0, 0.2, Kind::kMixed);
  for (const double yaw : {0.0, 45.0, 180.0, -179.9}) {
    const Pose X_WS{fromRollPitchYaw(0.0, 0.0, radians(yaw)), {0.2, -0.1, 0.3}};
    expectMeaningful(checkImage(map, sphericalGrid(180, 12, -180, 180, -30, 30), X_WS, 10.0));
    // Spans that hold the seam, and a full turn that begins elsewhere.
    expectMeaningful(checkImage(map, sphericalGrid(50, 12, 150, 230, -30, 30), X_WS, 10.0));
    expectMeaningful(checkImage(map, sphericalGrid(50, 12, -220, -140, -30, 30), X_WS, 10.0));
    expectMeaningful(checkImage(map, sphericalGrid(90, 12, 10, 370, -30, 30), X_WS, 10.0));
  }
}

TEST_P(RendererTest, ImagesUpToThePoles) {
  const Map map = scatteredMap(16, 5000, 6.0, 0.2, Kind::kMixed);
  for (const double pitch : {0.0, 37.0, 90.0}) {
    const Pose X_WS{fromRollPitchYaw(0.3, radians(pitch), 1.0), {0.2, -0.1, 0.3}};
    expectMeaningful(checkImage(map, sphericalGrid(72, 60, -180, 180, -90, 90), X_WS, 10.0));
    expectMeaningful(checkImage(map, sphericalGrid(40, 30, -60, 100, 60, 90), X_WS, 10.0));
  }
}

TEST_P(RendererTest, SurfelsLargerThanCellsAndCellsLargerThanSurfels) {
  const Pose X_WS{fromRollPitchYaw(0.1, -0.2, 0.4), {0.1, 0.2, -0.1}};
  const Map large = scatteredMap(17, 60, 3.0, 0.8, Kind::kMixed);
  expectMeaningful(checkImage(large, sphericalGrid(160, 100, -60, 60, -40, 40), X_WS, 10.0));
  expectMeaningful(checkImage(large, pinholeGrid(160, 100, 90.0), X_WS, 10.0));
  const Map small = scatteredMap(18, 20000, 6.0, 0.08, Kind::kMixed);
  expectMeaningful(checkImage(small, sphericalGrid(60, 25, -180, 180, -80, 80), X_WS, 10.0));
  expectMeaningful(checkImage(small, pinholeGrid(40, 30, 12.0), X_WS, 10.0));
}

TEST_P(RendererTest, ImagesFromInsideWallsAndSurfels) {
  for (const Kind kind : {Kind::kPlanar, Kind::kNotPlanar, Kind::kMixed}) {
    const Map map = roomMap({1.5, 1.2, 1.0}, 0.1, kind);
    const std::vector<map::Surfel> surfels = map->surfels();
    for (const std::size_t index : {std::size_t{0}, map->size() / 3, map->size() - 1}) {
      const Eigen::Vector3d at = surfels[index].position.cast<double>();
      const Pose X_WS{fromRollPitchYaw(0.1, 0.2, 0.7), at + Eigen::Vector3d(0.03, 0.02, 0.01)};
      checkImage(map, sphericalGrid(72, 36, -180, 180, -90, 90), X_WS, 10.0);
      checkImage(map, pinholeGrid(60, 50, 20.0), X_WS, 10.0);
    }
  }
}

TEST_P(RendererTest, OneSurfelBesideBehindAndAroundTheSensor) {
  RandomStream random(19);
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const Eigen::Vector3d position = randomInCube(random, i % 3 == 0 ? 0.3 : 1.5);
    const Map map =
        makeMap({makeSurfel(random, position, randomDirection(random), 0.5, Kind::kMixed)}, 0.5);
    hits += checkImage(map, sphericalGrid(24, 16, -180, 180, -90, 90), Pose{}, 4.0).hits;
    hits += checkImage(map, sphericalGrid(24, 8, 100, 260, -20, 50), Pose{}, 4.0).hits;
    hits += checkImage(map, pinholeGrid(24, 16, 7.0), Pose{}, 4.0).hits;
    if (HasFailure()) return;
  }
  EXPECT_GT(hits, 1000);
}

TEST_P(RendererTest, SameAnswerWithAnyNumberOfThreads) {
  const Map map = scatteredMap(20, 20000, 6.0, 0.1, Kind::kMixed);
  const ImageGrid grid = gridFor(GetParam(), sphericalGrid(203, 61, -180, 180, -60, 60));
  const Pose X_WS{fromRollPitchYaw(0.2, 0.1, 0.4), {0.1, 0.2, 0.3}};
  RandomStream random(21);
  std::vector<Ray> rays;
  for (int i = 0; i < 5000; ++i) {
    rays.push_back(makeRay(randomInCube(random, 5.0), randomDirection(random), 10.0));
  }
  const auto render = [&](int threads) {
    const Renderers renderers = make(map, threads);
    std::vector<Hit> image, cast;
    renderers.images->renderImage(grid, X_WS, 10.0, image);
    if (renderers.rays != nullptr) renderers.rays->cast(rays, cast);
    image.insert(image.end(), cast.begin(), cast.end());
    return image;
  };
  const std::vector<Hit> expected = render(1);
  for (const int threads : {0, 2, 5}) {
    const std::vector<Hit> hits = render(threads);
    ASSERT_EQ(hits.size(), expected.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      ASSERT_EQ(hits[i].range, expected[i].range) << i;
      ASSERT_EQ(hits[i].surfel, expected[i].surfel) << i;
      ASSERT_EQ(hits[i].normal, expected[i].normal) << i;
    }
  }
}

TEST_P(RendererTest, RefusesBadSettings) {
  const Map map = scatteredMap(1, 10, 1.0, 0.1, Kind::kPlanar);
  EXPECT_THROW(make(map, -1), ConfigError);
  std::vector<Hit> hits;
  EXPECT_THROW(make(map).images->renderImage(ImageGrid{}, Pose{}, 10.0, hits), ConfigError);
}

}  // namespace
}  // namespace marsim::lidar
