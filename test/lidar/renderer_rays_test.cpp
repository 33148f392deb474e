// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "lidar/renderer_suite.hpp"

namespace marsim::lidar {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

INSTANTIATE_TEST_SUITE_P(All, RendererTest, testing::ValuesIn(makersUnderTest()), labelOf);

TEST_P(RendererTest, SaysItsName) {
  const Renderers renderers = make(scatteredMap(1, 10, 1.0, 0.1, Kind::kPlanar));
  EXPECT_EQ(renderers.images->name(), GetParam().name);
  if (renderers.rays == nullptr) return;
  EXPECT_EQ(renderers.rays->name(), GetParam().name);
}

// ---------------------------------------------------------------- single rays

TEST_P(RendererTest, RandomRaysOverRandomSets) {
  for (const Kind kind : {Kind::kPlanar, Kind::kNotPlanar, Kind::kMixed}) {
    for (const double r : {0.05, 0.2, 0.6}) {
      // As many as hide about two thirds of what is six metres away.
      const int count = static_cast<int>(150.0 / (r * r));
      const Map map = scatteredMap(1, std::min(count, 20000), 6.0, r, kind);
      RandomStream random(2);
      std::vector<Ray> rays;
      for (int i = 0; i < 1500; ++i) {
        rays.push_back(makeRay(randomInCube(random, 5.0), randomDirection(random), 12.0));
      }
      expectMeaningful(checkRays(map, rays));
    }
  }
}

TEST_P(RendererTest, AxisParallelRaysWithZerosOfBothSigns) {
  const Map map = scatteredMap(3, 4000, 5.0, 0.2, Kind::kMixed);
  const std::vector<map::Surfel> surfels = map->surfels();
  RandomStream random(4);
  std::vector<Ray> rays;
  for (int i = 0; i < 1800; ++i) {
    // One or two components exactly zero or minus zero, with a sign that the test chooses.
    Eigen::Vector3d direction = Eigen::Vector3d::Zero();
    const int axis = i % 3;
    direction[axis] = random.uniform() < 0.5 ? -1.0 : 1.0;
    if (i % 2 == 0) {
      const double angle = random.uniform(0.1, 1.4);
      direction[axis] *= std::cos(angle);
      direction[(axis + 1) % 3] = std::sin(angle);
    }
    for (int a = 0; a < 3; ++a) {
      if (direction[a] == 0.0 && random.uniform() < 0.5) direction[a] = -0.0;
    }
    Eigen::Vector3d origin = randomInCube(random, 6.0);
    // Some start exactly at a surfel's coordinate, where boxes begin and end.
    if (i % 5 == 0) {
      origin = surfels[random.index(surfels.size())].position.cast<double>();
      origin[axis] = -6.0 * (direction[axis] < 0.0 ? -1.0 : 1.0);
    }
    rays.push_back(makeRay(origin, direction, 20.0));
  }
  expectMeaningful(checkRays(map, rays));
}

// Planes of boxes and origins that coincide exactly: a lattice of surfels, rays along its lines.
TEST_P(RendererTest, RaysAlongALattice) {
  std::vector<map::Surfel> surfels;
  for (int x = -8; x <= 8; ++x) {
    for (int y = -8; y <= 8; ++y) {
      const bool planar = (x + y) % 2 == 0;
      surfels.push_back({Eigen::Vector3f(0.25F * x, 0.25F * y, 1.0F), Eigen::Vector3f::UnitZ(),
                         planar ? 0.0F : 1.0F});
    }
  }
  const Map map = makeMap(surfels, 0.25);
  std::vector<Ray> rays;
  for (const map::Surfel& surfel : surfels) {
    const Eigen::Vector3d p = surfel.position.cast<double>();
    rays.push_back(makeRay(p - Eigen::Vector3d(0, 0, 3), {0.0, 0.0, 1.0}, 10.0));
    rays.push_back(makeRay(p + Eigen::Vector3d(0, 0, 3), {-0.0, -0.0, -1.0}, 10.0));
    rays.push_back(makeRay({p.x(), -4.0, 1.0}, {0.0, 1.0, -0.0}, 10.0));
  }
  const Agreement agreement = checkRays(map, rays);
  if (agreement.rays > 0) {
    EXPECT_GT(agreement.hits, agreement.rays / 2);
  }
}

TEST_P(RendererTest, GrazingRays) {
  const Map map = scatteredMap(5, 3000, 4.0, 0.3, Kind::kPlanar);
  const std::vector<map::Surfel> surfels = map->surfels();
  const std::vector<float> radii = map->radii();
  RandomStream random(6);
  std::vector<Ray> rays;
  for (int i = 0; i < 3000; ++i) {
    // Towards a place on a disc, tilted out of its plane by 0.06 to 3 degrees.
    const std::size_t number = random.index(surfels.size());
    const map::Surfel& surfel = surfels[number];
    const Eigen::Vector3d n = surfel.normal.cast<double>();
    const Eigen::Vector3d u = n.unitOrthogonal();
    const Eigen::Vector3d in_plane = Eigen::AngleAxisd(random.uniform(0.0, 2.0 * kPi), n) * u;
    const double tilt = std::pow(10.0, random.uniform(-3.0, -1.3));
    const Eigen::Vector3d direction = (in_plane + tilt * n).normalized();
    const Eigen::Vector3d target =
        surfel.position.cast<double>() + 0.8 * radii[number] * random.uniform() * n.cross(in_plane);
    rays.push_back(makeRay(target - random.uniform(0.05, 1.5) * direction, direction, 8.0));
  }
  const Agreement agreement = checkRays(map, rays);
  if (agreement.rays == 0) return;
  EXPECT_GT(agreement.hits, agreement.rays * 9 / 10);
  // A range moves by its product with the change over the tilt: up to 1.5 mm at the least tilt.
  EXPECT_LT(agreement.ambiguousShare(), 0.05);
}

TEST_P(RendererTest, RaysThatStartInsideSurfels) {
  for (const Kind kind : {Kind::kPlanar, Kind::kNotPlanar, Kind::kMixed}) {
    const Map map = roomMap({2.0, 1.5, 1.0}, 0.1, kind);
    const std::vector<map::Surfel> surfels = map->surfels();
    RandomStream random(7);
    std::vector<Ray> rays;
    for (int i = 0; i < 1500; ++i) {
      const map::Surfel& surfel = surfels[random.index(surfels.size())];
      const Eigen::Vector3d inside = randomDirection(random) * random.uniform(0.0, map->radius());
      rays.push_back(
          makeRay(surfel.position.cast<double>() + inside, randomDirection(random), 10.0));
    }
    const Agreement agreement = checkRays(map, rays);
    if (agreement.rays > 0) {
      EXPECT_GT(agreement.hits, agreement.rays / 3);
    }
  }
}

TEST_P(RendererTest, FarFromTheOrigin) {
  const Eigen::Vector3d centre(1000.0, -1000.0, 400.0);
  const Map map = scatteredMap(8, 4000, 5.0, 0.2, Kind::kMixed, centre);
  RandomStream random(9);
  std::vector<Ray> rays;
  for (int i = 0; i < 2000; ++i) {
    rays.push_back(makeRay(centre + randomInCube(random, 6.0), randomDirection(random), 15.0));
  }
  expectMeaningful(checkRays(map, rays));

  // A sensor's position needs more digits than a float has there.
  const Pose X_WS{fromRollPitchYaw(0.1, 0.2, 0.3), centre + Eigen::Vector3d(0.1234567, 0.2, 0.3)};
  expectMeaningful(checkImage(map, sphericalGrid(90, 40, -180, 180, -60, 60), X_WS, 15.0));
}

TEST_P(RendererTest, LongRaysOverALargeMap) {
  RandomStream random(10);
  std::vector<map::Surfel> surfels;
  for (int i = 0; i < 6000; ++i) {
    surfels.push_back(makeSurfel(random, 400.0 * randomDirection(random), randomDirection(random),
                                 8.0, Kind::kMixed));
  }
  const Map map = makeMap(std::move(surfels), 8.0);
  std::vector<Ray> rays;
  for (int i = 0; i < 2000; ++i) {
    rays.push_back(makeRay(randomInCube(random, 300.0), randomDirection(random), kInfinity));
  }
  const Agreement agreement = checkRays(map, rays);
  if (agreement.rays == 0) return;
  EXPECT_GT(agreement.hits, agreement.rays / 4);
  // A change of direction by 1e-6 rad moves the place it meets by up to 0.7 mm there.
  EXPECT_LT(agreement.ambiguousShare(), 0.03);
}

// Closed form: a plane at x = 5, met at exactly its distance.
TEST_P(RendererTest, RangeMaxIsIncluded) {
  const Map map = makeMap({{{5.0F, 0.0F, 0.0F}, {1.0F, 0.0F, 0.0F}, 0.0F}}, 0.5);
  ImageGrid grid = sphericalGrid(1, 1, -1, 1, -1, 1);
  const Renderers renderers = make(map);
  std::vector<Hit> hits;
  const float beyond = std::nextafter(5.0F, 0.0F);
  renderers.images->renderImage(grid, Pose{}, 5.0, hits);
  EXPECT_EQ(hits.at(0).range, 5.0F);
  EXPECT_EQ(hits.at(0).surfel, 0U);
  renderers.images->renderImage(grid, Pose{}, static_cast<double>(beyond), hits);
  EXPECT_FALSE(hits.at(0).valid());
  EXPECT_EQ(hits.at(0).range, kInfinity);
  if (renderers.rays == nullptr) return;
  renderers.rays->cast(
      {makeRay({0, 0, 0}, {1, 0, 0}, 5.0), makeRay({0, 0, 0}, {1, 0, 0}, beyond),
       makeRay({0, 0, 0}, {-1, 0, 0}, 50.0), makeRay({0, 0, 0}, {1, 0, 0}, kInfinity),
       makeRay({0, 0, 0}, {1, 0, 0}, 0.0), makeRay({5, 0, 0}, {1, 0, 0}, 9.0)},
      hits);
  EXPECT_EQ(hits.at(0).range, 5.0F);
  EXPECT_FALSE(hits.at(1).valid()) << "beyond the maximum";
  EXPECT_FALSE(hits.at(2).valid()) << "behind";
  EXPECT_EQ(hits.at(3).range, 5.0F);
  EXPECT_FALSE(hits.at(4).valid()) << "no range at all";
  EXPECT_FALSE(hits.at(5).valid()) << "in the plane: the range would be zero";
}

// A plane at 5 m and one at 7 m: what is nearer than range_min is passed through.
TEST_P(RendererTest, RangeMinIsIncluded) {
  const Map map = makeMap({{{5.0F, 0.0F, 0.0F}, {1.0F, 0.0F, 0.0F}, 0.0F},
                           {{7.0F, 0.0F, 0.0F}, {-1.0F, 0.0F, 0.0F}, 0.0F}},
                          0.5);
  const Renderers renderers = make(map);
  if (renderers.rays == nullptr) return;
  std::vector<Ray> rays;
  for (const float range_min : {0.0F, 5.0F, std::nextafter(5.0F, 6.0F), 7.0F,
                                std::nextafter(7.0F, 8.0F), 9.0F, -1.0F, std::nanf("")}) {
    rays.push_back(makeRay({0, 0, 0}, {1, 0, 0}, 8.0));
    rays.back().range_min = range_min;
  }
  std::vector<Hit> hits;
  renderers.rays->cast(rays, hits);
  const float expected[] = {5.0F, 5.0F, 7.0F, 7.0F, kInfinity, kInfinity, 5.0F, kInfinity};
  for (std::size_t i = 0; i < hits.size(); ++i) {
    EXPECT_EQ(hits[i].range, expected[i]) << rays[i].range_min;
    if (hits[i].valid()) {
      EXPECT_TRUE(hits[i].normal.isApprox(Eigen::Vector3f(-1.0F, 0.0F, 0.0F))) << "back";
      EXPECT_FLOAT_EQ(hits[i].incidenceCosine(rays[i].direction), 1.0F);
    }
  }
}

TEST_P(RendererTest, RangeMinPassesThroughWalls) {
  for (const Kind kind : {Kind::kPlanar, Kind::kNotPlanar, Kind::kMixed}) {
    const Map map = scatteredMap(23, 6000, 6.0, 0.15, kind);
    RandomStream random(24);
    std::vector<Ray> rays;
    for (int i = 0; i < 2000; ++i) {
      rays.push_back(makeRay(randomInCube(random, 5.0), randomDirection(random), 12.0));
      rays.back().range_min = static_cast<float>(random.uniform(0.0, 6.0));
    }
    expectMeaningful(checkRays(map, rays));
  }
}

// More surfels within the depth than any buffer holds, found far to near and near to far.
TEST_P(RendererTest, ManySurfelsOfOneSurface) {
  RandomStream random(25);
  std::vector<map::Surfel> surfels;
  for (int i = 0; i < 4000; ++i) {
    const bool planar = i % 2 == 0;
    const Eigen::Vector3d position(random.uniform(0.0, 0.6), random.uniform(-0.3, 0.3),
                                   random.uniform(-0.3, 0.3));
    const Eigen::Vector3d normal = Eigen::Vector3d(1.0, 0.0, 0.0) + randomInCube(random, 0.05);
    surfels.push_back(
        {position.cast<float>(), normal.cast<float>().normalized(), planar ? 0.0F : 1.0F});
  }
  const Map map = makeMap(std::move(surfels), 0.3);
  std::vector<Ray> rays;
  for (int i = 0; i < 300; ++i) {
    const Eigen::Vector3d target(0.0, random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3));
    const Eigen::Vector3d origin =
        target + 3.0 * Eigen::Vector3d(i % 2 == 0 ? 1.0 : -1.0, random.uniform(-0.5, 0.5),
                                       random.uniform(-0.5, 0.5));
    rays.push_back(makeRay(origin, (target - origin).normalized(), 12.0));
  }
  const Agreement agreement = checkRays(map, rays);
  if (agreement.rays == 0) return;
  EXPECT_GT(agreement.hits, agreement.rays * 9 / 10);
  EXPECT_LT(agreement.ambiguousShare(), 0.02);
}

TEST_P(RendererTest, RangeMaxCutsTheMap) {
  const Map map = roomMap({3.0, 2.0, 1.2}, 0.1, Kind::kMixed);
  const ImageGrid grid = sphericalGrid(120, 40, -180, 180, -45, 45);
  const Pose X_WS{Eigen::Quaterniond::Identity(), {0.4, -0.3, 0.1}};
  const Agreement all = checkImage(map, grid, X_WS, 50.0);
  const Agreement cut = checkImage(map, grid, X_WS, 2.3);
  EXPECT_EQ(all.hits, all.rays);
  EXPECT_LT(cut.hits, cut.rays * 9 / 10);
  EXPECT_GT(cut.hits, cut.rays / 10);
}

TEST_P(RendererTest, EmptyMapAndEmptyResults) {
  const Map none = makeMap({}, 0.1);
  const ImageGrid grid = sphericalGrid(8, 4, -180, 180, -45, 45);
  const Agreement agreement = checkImage(none, grid, Pose{}, 10.0);
  EXPECT_EQ(agreement.rays, 32);
  EXPECT_EQ(agreement.hits, 0);
  checkRays(none, {makeRay({0, 0, 0}, {1, 0, 0}, 10.0)});

  const Map map = scatteredMap(12, 500, 2.0, 0.1, Kind::kMixed);
  EXPECT_EQ(checkImage(map, grid, Pose{Eigen::Quaterniond::Identity(), {80, 0, 0}}, 10.0).hits, 0);
  const Renderers renderers = make(map);
  if (renderers.rays == nullptr) return;
  std::vector<Hit> hits(3);
  renderers.rays->cast({}, hits);
  EXPECT_TRUE(hits.empty());
}

// Rays that mean nothing give no return and do no harm.
TEST_P(RendererTest, NotANumberMeetsNothing) {
  const Map map = scatteredMap(12, 500, 2.0, 0.1, Kind::kMixed);
  const Renderers renderers = make(map);
  if (renderers.rays == nullptr) return;
  const double nan = std::nan("");
  std::vector<Hit> hits;
  renderers.rays->cast(
      {makeRay({nan, 0, 0}, {1, 0, 0}, 10.0), makeRay({0, 0, 0}, {nan, 0, 1}, 10.0),
       makeRay({0, 0, 0}, {1, 0, 0}, nan), makeRay({0, 0, 0}, {0, 0, 0}, 10.0)},
      hits);
  for (const Hit& hit : hits) EXPECT_FALSE(hit.valid());
}

TEST_P(RendererTest, CoincidentSurfelsGiveTheFirst) {
  std::vector<map::Surfel> surfels(100, {{3.0F, 0.0F, 0.0F}, {1.0F, 0.0F, 0.0F}, 0.0F});
  const Map map = makeMap(surfels, 0.5);
  std::vector<Hit> hits;
  make(map).images->renderImage(sphericalGrid(1, 1, -1, 1, -1, 1), Pose{}, 5.0, hits);
  EXPECT_EQ(hits.at(0).surfel, 0U);
  EXPECT_FLOAT_EQ(hits.at(0).range, 3.0F);
}

}  // namespace
}  // namespace marsim::lidar
