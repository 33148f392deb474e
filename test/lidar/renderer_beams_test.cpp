// SPDX-License-Identifier: BSD-3-Clause
// Rays that are cast as beams, against the oracle: what goes nearly the same way is met together.

#include <cmath>

#include <gtest/gtest.h>

#include "lidar/renderer_suite.hpp"

namespace marsim::lidar {
namespace {

class RendererBeams : public RendererTest {
 protected:
  /// Beams of `rays_a_beam` of the rays.
  static Agreement checkBeams(const Map& map, const std::vector<Ray>& rays,
                              std::size_t rays_a_beam) {
    const Map own = stored(map);
    std::vector<Hit> hits(3);  // of another size: it is resized
    make(own, 2).rays->castBeams(0, rays, rays_a_beam, {}, hits);
    std::vector<OracleRay> oracle_rays;
    for (const Ray& ray : rays) oracle_rays.push_back(toOracleRay(ray));
    return compare(*own, oracle_rays, hits);
  }

  /// Adds a beam whose rays are up to `spread` [rad] off its direction.
  static void addBeam(const Ray& middle, std::size_t rays_a_beam, double spread,
                      RandomStream& random, std::vector<Ray>& rays) {
    rays.push_back(middle);
    for (std::size_t i = 1; i < rays_a_beam; ++i) {
      Ray ray = middle;
      ray.direction =
          (middle.direction.cast<double>() + spread * random.uniform() * randomDirection(random))
              .normalized()
              .cast<float>();
      rays.push_back(ray);
    }
  }
};

std::vector<Maker> makersOfRays() {
  std::vector<Maker> makers;
  for (const Maker& maker : makersUnderTest()) {
    if (maker.make(scatteredMap(1, 10, 1.0, 0.1, Kind::kPlanar), maker.config).rays != nullptr) {
      makers.push_back(maker);
    }
  }
  return makers;
}
INSTANTIATE_TEST_SUITE_P(All, RendererBeams, testing::ValuesIn(makersOfRays()), labelOf);

TEST_P(RendererBeams, OverRandomSets) {
  RandomStream random(31);
  Agreement all;  // a beam's rays are ambiguous together: of one set too few are judged
  for (const Kind kind : {Kind::kPlanar, Kind::kNotPlanar, Kind::kMixed}) {
    for (const double r : {0.1, 0.4}) {
      const int count = static_cast<int>(150.0 / (r * r));
      const Map map = scatteredMap(32, std::min(count, 15000), 6.0, r, kind);
      for (const std::size_t rays_a_beam : {7U, 9U, 19U}) {
        std::vector<Ray> rays;
        for (int beam = 0; beam < 30; ++beam) {
          const double spread = std::pow(10.0, random.uniform(-4.0, -1.0));
          addBeam(makeRay(randomInCube(random, 5.0), randomDirection(random), 12.0), rays_a_beam,
                  spread, random, rays);
        }
        const Agreement agreement = checkBeams(map, rays, rays_a_beam);
        all.rays += agreement.rays;
        all.hits += agreement.hits;
        all.ambiguous += agreement.ambiguous;
      }
    }
  }
  expectMeaningful(all);
}

// Beams from one place, side by side, as a scan has them: two of them go together.
TEST_P(RendererBeams, SideBySideInARoom) {
  RandomStream random(33);
  for (const Kind kind : {Kind::kPlanar, Kind::kMixed}) {
    const Map map = roomMap({4.0, 3.0, 1.5}, 0.1, kind);
    std::vector<Ray> rays;
    for (int beam = 0; beam < 150; ++beam) {
      const double azimuth = 0.01 * beam, elevation = 0.004 * beam - 0.3;
      const Eigen::Vector3d d(std::cos(elevation) * std::cos(azimuth),
                              std::cos(elevation) * std::sin(azimuth), std::sin(elevation));
      addBeam(makeRay({0.1 + 0.0002 * beam, 0.2, -0.1}, d, 12.0), 9, 3e-3, random, rays);
    }
    const Agreement agreement = checkBeams(map, rays, 9);
    EXPECT_GT(agreement.hits, agreement.rays * 9 / 10);
  }
}

// Which beams go together must not depend on who casts them: ranges are rounded relative to the
// first.
TEST_P(RendererBeams, AreTheSameForAnyNumberOfThreads) {
  RandomStream random(36);
  const Map map = roomMap({4.0, 3.0, 1.5}, 0.1, Kind::kMixed);
  std::vector<Ray> rays;
  for (int beam = 0; beam < 6000; ++beam) {  // as near together as those of a scan
    const double azimuth = 0.003 * (beam / 4), elevation = 0.006 * (beam % 4);
    const Eigen::Vector3d d(std::cos(elevation) * std::cos(azimuth),
                            std::cos(elevation) * std::sin(azimuth), std::sin(elevation));
    addBeam(makeRay({1e-5 * beam, 0.2, -0.1}, d, 12.0), 19, 5e-3, random, rays);
  }
  std::vector<Hit> one, many;
  make(map, 1).rays->castBeams(0, rays, 19, {}, one);
  for (const int threads : {2, 0}) {
    make(map, threads).rays->castBeams(0, rays, 19, {}, many);
    ASSERT_EQ(one.size(), many.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(one[i].range, many[i].range) << i;
      ASSERT_EQ(one[i].surfel, many[i].surfel) << i;
      ASSERT_EQ(one[i].normal, many[i].normal) << i;
    }
  }
}

// Their rays are of several octants, with exact zeros of either sign among them.
TEST_P(RendererBeams, AcrossTheAxes) {
  const Map map = scatteredMap(34, 4000, 5.0, 0.2, Kind::kMixed);
  RandomStream random(35);
  std::vector<Ray> rays;
  for (int beam = 0; beam < 80; ++beam) {
    Eigen::Vector3d direction = Eigen::Vector3d::Zero();
    direction[beam % 3] = beam % 2 == 0 ? 1.0 : -1.0;
    if (beam % 4 < 2) direction[(beam + 1) % 3] = random.uniform(-2.0, 2.0);
    const Ray middle = makeRay(randomInCube(random, 5.0), direction.normalized(), 20.0);
    addBeam(middle, 8, 2e-3, random, rays);
    Ray still = middle;  // the ninth has zeros, too, of the other sign
    for (float& component : still.direction) component = component == 0.0F ? -0.0F : component;
    rays.push_back(still);
  }
  expectMeaningful(checkBeams(map, rays, 9));
}

// Tilted out of the discs that they meet by 0.06 to 3 degrees.
TEST_P(RendererBeams, Grazing) {
  const Map map = scatteredMap(36, 3000, 4.0, 0.3, Kind::kPlanar);
  const std::vector<map::Surfel> surfels = map->surfels();
  RandomStream random(37);
  std::vector<Ray> rays;
  for (int beam = 0; beam < 150; ++beam) {
    const map::Surfel& surfel = surfels[random.index(surfels.size())];
    const Eigen::Vector3d n = surfel.normal.cast<double>();
    const Eigen::Vector3d in_plane =
        Eigen::AngleAxisd(random.uniform(0.0, 2.0 * kPi), n) * n.unitOrthogonal();
    const double tilt = std::pow(10.0, random.uniform(-3.0, -1.3));
    const Eigen::Vector3d direction = (in_plane + tilt * n).normalized();
    const Eigen::Vector3d p = surfel.position.cast<double>();
    addBeam(makeRay(p - random.uniform(0.05, 1.5) * direction, direction, 8.0), 9, 0.1 * tilt,
            random, rays);
  }
  const Agreement agreement = checkBeams(map, rays, 9);
  EXPECT_GT(agreement.hits, agreement.rays / 2);
  EXPECT_LT(agreement.ambiguousShare(), 0.05);
}

// More surfels in the way than a bundle has room for, and origins inside of them.
TEST_P(RendererBeams, ThroughManySurfelsOfOneSurface) {
  RandomStream random(38);
  std::vector<map::Surfel> surfels;
  for (int i = 0; i < 3000; ++i) {
    surfels.push_back(makeSurfel(
        random,
        {5.0 + 0.01 * random.uniform(), random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6)},
        Eigen::Vector3d::UnitX(), 0.3, Kind::kPlanar));
  }
  const Map map = makeMap(std::move(surfels), 0.3);
  std::vector<Ray> rays;
  for (int beam = 0; beam < 20; ++beam) {
    const double start = beam < 10 ? 0.0 : 4.9;
    addBeam(makeRay({start, 0.02 * beam - 0.2, 0.1}, {1.0, 0.0, 0.0}, 8.0), 9, 4e-3, random, rays);
  }
  const Agreement agreement = checkBeams(map, rays, 9);
  EXPECT_GT(agreement.hits, agreement.rays / 2);
}

TEST_P(RendererBeams, FarFromTheOriginAndWithLimits) {
  const Eigen::Vector3d centre(1000.0, -1000.0, 400.0);
  const Map map = scatteredMap(39, 4000, 5.0, 0.2, Kind::kMixed, centre);
  RandomStream random(40);
  std::vector<Ray> rays;
  for (int beam = 0; beam < 100; ++beam) {
    Ray middle = makeRay(centre + randomInCube(random, 6.0), randomDirection(random), 15.0);
    if (beam % 2 == 0) middle.range_min = static_cast<float>(random.uniform(0.0, 3.0));
    if (beam % 3 == 0) middle.range_max = static_cast<float>(random.uniform(0.5, 6.0));
    addBeam(middle, 9, 5e-3, random, rays);
  }
  expectMeaningful(checkBeams(map, rays, 9));
}

// The caller's "beams" may be any rays, and the last beam may be incomplete.
TEST_P(RendererBeams, AnyRaysMayBeBeams) {
  const Map map = scatteredMap(41, 4000, 5.0, 0.2, Kind::kMixed);
  RandomStream random(42);
  std::vector<Ray> rays;
  for (int i = 0; i < 502; ++i) {
    rays.push_back(makeRay(randomInCube(random, 5.0), randomDirection(random), 12.0));
  }
  expectMeaningful(checkBeams(map, rays, 9));
  EXPECT_EQ(checkBeams(map, {}, 9).rays, 0);
  std::vector<Hit> hits;
  const double nan = std::nan("");
  make(map).rays->castBeams(
      0,
      {makeRay({0, 0, 0}, {1, 0, 0}, 10.0), makeRay({0, nan, 0}, {1, 0, 0}, 9.0),
       makeRay({0, 0, 0}, {nan, 0, 0}, 9.0)},
      3, {}, hits);
  ASSERT_EQ(hits.size(), 3U);
  EXPECT_FALSE(hits[1].valid());
  EXPECT_FALSE(hits[2].valid());
}

}  // namespace
}  // namespace marsim::lidar
