// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/plants.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "lidar/plant_oracle.hpp"
#include "lidar/renderer_suite.hpp"
#include "lidar/surfel_sets.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/scene/vegetation.hpp"

namespace marsim::lidar {
namespace {

using Eigen::Vector3d;
using scene::Patch;
using scene::PlantCylinder;
using scene::PlantDisc;
using scene::PlantInstance;
using scene::Vegetation;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A renderer that meets nothing.
class NothingRenderer final : public RayRenderer, public ImageRenderer {
 public:
  std::string name() const override { return "nothing"; }
  void cast(const std::vector<Ray>& rays, View<MovingObject>,
            std::vector<Hit>& hits) const override {
    hits.assign(rays.size(), Hit{});
  }
  void renderImage(const ImageGrid& grid, const Pose&, double, View<MovingObject>,
                   std::vector<Hit>& hits) const override {
    hits.assign(grid.size(), Hit{});
  }
};

PlantCylinder stem(const Vector3d& from, const Vector3d& to, double radius) {
  return {from.cast<float>(), to.cast<float>(), static_cast<float>(radius), 100};
}
PlantDisc leaf(const Vector3d& centre, const Vector3d& normal, double radius) {
  return {centre.cast<float>(), normal.normalized().cast<float>(), static_cast<float>(radius), 200};
}

// Blades of grass of two pieces each.
Patch grassPatch(RandomStream& random, int blades, double side) {
  Patch patch;
  for (int i = 0; i < blades; ++i) {
    const Vector3d foot(random.uniform(-0.5, 0.5) * side, random.uniform(-0.5, 0.5) * side, 0.0);
    const Vector3d bend = foot + Vector3d(0, 0, 0.12) + randomInCube(random, 0.03);
    patch.cylinders.push_back(stem(foot, bend, 0.003));
    patch.cylinders.push_back(
        stem(bend, bend + Vector3d(0, 0, 0.1) + randomInCube(random, 0.06), 0.002));
  }
  return patch;
}

Patch shrubPatch(RandomStream& random, int leaves) {
  Patch patch;
  patch.cylinders.push_back(stem({0, 0, 0}, {0, 0, 0.5}, 0.03));
  for (int i = 0; i < leaves; ++i) {
    const Vector3d at = Vector3d(0, 0, 0.7) + 0.4 * randomDirection(random);
    patch.discs.push_back(leaf(at, randomDirection(random), random.uniform(0.01, 0.03)));
    if (i % 4 == 0) patch.cylinders.push_back(stem({0, 0, 0.5}, at, 0.004));
  }
  return patch;
}

PlantInstance instanceAt(const Vector3d& foot, double yaw, std::uint32_t patch) {
  PlantInstance instance;
  instance.foot = foot.cast<float>();
  instance.yaw_cosine = static_cast<float>(std::cos(yaw));
  instance.yaw_sine = static_cast<float>(std::sin(yaw));
  instance.patch = patch;
  return instance;
}

// A meadow of 8 x 8 m with shrubs in it, on a slope, far from the origin.
Vegetation meadow(const Vector3d& origin) {
  RandomStream random(5, "meadow");
  Vegetation vegetation;
  vegetation.origin = origin;
  vegetation.patches = {grassPatch(random, 40, 1.0), grassPatch(random, 25, 1.0),
                        shrubPatch(random, 150)};
  for (int i = 0; i < 90; ++i) {
    const Vector3d foot(random.uniform(-4, 4), random.uniform(-4, 4), random.uniform(-0.2, 0.2));
    PlantInstance instance = instanceAt(foot, random.uniform(0, 2 * kPi), i % 9 == 0 ? 2 : i % 2);
    instance.width = static_cast<float>(random.uniform(0.7, 1.4));
    instance.height = static_cast<float>(random.uniform(0.7, 1.4));
    instance.slope = {static_cast<float>(random.uniform(-0.3, 0.3)),
                      static_cast<float>(random.uniform(-0.3, 0.3))};
    vegetation.instances.push_back(instance);
  }
  return vegetation;
}

struct Counts {
  int rays = 0, met = 0, ambiguous = 0;
};

// Hits of rays that meet nothing else, as the oracle says but where rounding decides.
Counts expectAsOracle(const Vegetation& vegetation, const std::vector<Ray>& rays, SimdLevel level,
                      double begin = 0.0) {
  RendererConfig config;
  config.simd = level;
  const auto plants = std::make_shared<const Plants>(vegetation);
  const auto renderer =
      withPlants(std::shared_ptr<const RayRenderer>(new NothingRenderer), plants, config);
  std::vector<Hit> hits;
  renderer->castBeams(toNs(begin), rays, 1, {}, hits);
  EXPECT_EQ(hits.size(), rays.size());
  const bool waits = vegetation.sway.on();  // then each ray has a world of its own
  const PlantOracle still(vegetation);
  Counts counts;
  for (std::size_t i = 0; i < rays.size() && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("ray " + std::to_string(i));
    const OracleRay ray = toOracleRay(rays[i]);
    const PlantOracle::Answer answer =
        waits ? PlantOracle(vegetation, begin + static_cast<double>(rays[i].time)).trace(ray)
              : still.trace(ray);
    ++counts.rays;
    if (answer.ambiguous) {
      ++counts.ambiguous;
      continue;
    }
    const Hit& hit = hits[i];
    EXPECT_EQ(hit.valid(), std::isfinite(answer.meeting.range));
    if (!hit.valid() || !std::isfinite(answer.meeting.range)) continue;
    ++counts.met;
    EXPECT_NEAR(static_cast<double>(hit.range), answer.meeting.range, 2e-5);
    EXPECT_EQ(hit.identity, scene::kFirstPlantIdentity + answer.instance);
    EXPECT_EQ(hit.surfel, answer.primitive);
    Vector3d normal = answer.meeting.normal.normalized();
    if (normal.dot(ray.direction) > 0.0) normal = -normal;
    EXPECT_LT((hit.normal.cast<double>() - normal).norm(), 0.02);
  }
  return counts;
}

// From around the meadow and from inside, to places in it; some of them graze what they aim at.
std::vector<Ray> raysInto(const Vegetation& vegetation, int count) {
  RandomStream random(9, "rays");
  std::vector<Ray> rays;
  for (int i = 0; i < count; ++i) {
    const double from = i % 3 == 0 ? 4.0 : i % 3 == 1 ? 15.0 : 90.0;
    Vector3d origin = vegetation.origin + from * randomDirection(random);
    origin.z() = vegetation.origin.z() + random.uniform(0.0, i % 2 == 0 ? 0.3 : 3.0);
    const Vector3d target =
        vegetation.origin + Vector3d(random.uniform(-4, 4), random.uniform(-4, 4),
                                     random.uniform(0.0, i % 5 == 0 ? 1.0 : 0.2));
    Ray ray = makeRay(origin, (target - origin).normalized(), i % 7 == 0 ? 12.0 : 200.0);
    ray.time = static_cast<float>(random.uniform(0.0, 0.1));
    if (i % 11 == 0) ray.range_min = 3.0F;
    rays.push_back(ray);
  }
  return rays;
}

class PlantsOnEveryLevel : public testing::TestWithParam<SimdLevel> {};

INSTANTIATE_TEST_SUITE_P(Levels, PlantsOnEveryLevel, testing::ValuesIn(simdLevels()),
                         [](const auto& level) { return std::string(nameOf(level.param)); });

TEST_P(PlantsOnEveryLevel, AreMetAsTheOracleSays) {
  for (const Vector3d& origin : {Vector3d(0, 0, 0), Vector3d(210, -340, 12)}) {
    const Vegetation vegetation = meadow(origin);
    const Counts counts = expectAsOracle(vegetation, raysInto(vegetation, 3000), GetParam());
    EXPECT_GT(counts.met, counts.rays / 4);
    EXPECT_LT(counts.ambiguous, counts.rays / 1000 + 1);
  }
}

TEST_P(PlantsOnEveryLevel, LeanInTheWindAsTheOracleSays) {
  Vegetation vegetation = meadow({3, 4, 5});
  vegetation.sway = {radians(20), radians(200), 1.7};
  const Counts counts = expectAsOracle(vegetation, raysInto(vegetation, 1500), GetParam(), 123.4);
  EXPECT_GT(counts.met, counts.rays / 4);
  EXPECT_LT(counts.ambiguous, counts.rays / 500);
}

Vegetation onePatch(Patch patch) {
  Vegetation vegetation;
  vegetation.patches = {std::move(patch)};
  vegetation.instances = {PlantInstance{}};
  return vegetation;
}

std::vector<Hit> castAt(const Vegetation& vegetation, const std::vector<Ray>& rays,
                        SimdLevel level = SimdLevel::kAuto) {
  RendererConfig config;
  config.simd = level;
  std::vector<Hit> hits;
  withPlants(std::shared_ptr<const RayRenderer>(new NothingRenderer),
             std::make_shared<const Plants>(vegetation), config)
      ->cast(rays, hits);
  return hits;
}

// A stem of 1 m and radius 1 cm on the z axis, and a leaf of 5 cm facing x at x = 2.
Vegetation stemAndLeaf() {
  Patch patch;
  patch.cylinders = {stem({0, 0, 0}, {0, 0, 1}, 0.01)};
  patch.discs = {leaf({2, 0, 0.5}, {1, 0, 0}, 0.05)};
  return onePatch(patch);
}

TEST_P(PlantsOnEveryLevel, AreMetOnSidesCapsAndFromInside) {
  const std::vector<Ray> rays = {
      makeRay({-3, 0, 0.5}, {1, 0, 0}, 100),        // side
      makeRay({0, 0, 3}, {0, 0, -1}, 100),          // upper cap, along the axis
      makeRay({0.0099, 0, -3}, {0, 0, 1}, 100),     // lower cap, parallel near the rim
      makeRay({0.0101, 0, -3}, {0, 0, 1}, 100),     // parallel past the rim
      makeRay({0, 0, 0.5}, {0, 0, 1}, 100),         // from inside along the axis
      makeRay({0, 0, 0.5}, {-1, 0, 0}, 100),        // from inside across it
      makeRay({-3, 0.00999, 0.5}, {1, 0, 0}, 100),  // grazing
      makeRay({-3, 0.01001, 0.5}, {1, 0, 0}, 2.5),  // grazing past, and short of the leaf
      makeRay({-3, 0, 1.0001}, {1, 0, 0}, 4),       // over the tip
      makeRay({-3, 0, 0.9999}, {1, 0, 0}, 4),       // under it
      makeRay({5, 0.0499, 0.5}, {-1, 0, 0}, 3.5),   // the leaf's rim
      makeRay({2, 0, 5}, {0, 0, -1}, 100),          // the leaf edge-on
      makeRay({-3, 0, 0.5}, {1, 0, 0}, 2.9),        // short of the stem
  };
  const std::vector<Hit> hits = castAt(stemAndLeaf(), rays, GetParam());
  const double ranges[] = {2.99,
                           2.0,
                           3.0,
                           kInfinity,
                           0.5,
                           0.01,
                           3 - std::sqrt(1e-4 - 0.00999 * 0.00999),
                           kInfinity,
                           kInfinity,
                           2.99,
                           3.0,
                           kInfinity,
                           kInfinity};
  for (std::size_t i = 0; i < rays.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(hits[i].valid(), std::isfinite(ranges[i]));
    if (hits[i].valid()) {
      EXPECT_NEAR(static_cast<double>(hits[i].range), ranges[i], i == 6 ? 1e-4 : 1e-5);
    }
  }
  EXPECT_TRUE(hits[0].normal.isApprox(Eigen::Vector3f(-1, 0, 0), 1e-4F));
  EXPECT_TRUE(hits[1].normal.isApprox(Eigen::Vector3f(0, 0, 1), 1e-4F));
  EXPECT_TRUE(hits[2].normal.isApprox(Eigen::Vector3f(0, 0, -1), 1e-4F));
  EXPECT_TRUE(hits[4].normal.isApprox(Eigen::Vector3f(0, 0, -1), 1e-4F));
  EXPECT_TRUE(hits[10].normal.isApprox(Eigen::Vector3f(1, 0, 0), 1e-4F));
  EXPECT_EQ(hits[10].surfel, 1U);
}

// Rays that are parallel to an axis, to the stems, or nearly so, by less than single precision.
TEST_P(PlantsOnEveryLevel, AreMetByParallelRays) {
  RandomStream random(3, "parallel");
  Patch patch;
  for (int i = 0; i < 60; ++i) {
    const Vector3d foot = randomInCube(random, 0.3);
    patch.cylinders.push_back(stem(foot, foot + Vector3d(0, 0, random.uniform(0.05, 0.3)), 0.02));
    patch.discs.push_back(leaf(randomInCube(random, 0.3), Vector3d::Unit(i % 3), 0.03));
  }
  const Vegetation vegetation = onePatch(patch);
  std::vector<Ray> rays;
  for (int i = 0; i < 3000; ++i) {
    Vector3d direction = Vector3d::Unit(i % 3) * (i % 2 == 0 ? 1.0 : -1.0);
    Vector3d origin = randomInCube(random, 0.4);
    if (i % 4 < 2) origin -= 2.0 * direction;
    if (i % 5 == 0) direction += 1e-9 * randomInCube(random, 1.0);
    rays.push_back(makeRay(origin, direction, 10.0));
  }
  const Counts counts = expectAsOracle(vegetation, rays, GetParam());
  EXPECT_GT(counts.met, counts.rays / 4);
  EXPECT_LT(counts.ambiguous, counts.rays / 500);
}

TEST(Plants, AreMetBesideTheMapAndTheNearestWins) {
  const Map wall = roomMap({4, 4, 4}, 0.2, Kind::kPlanar);
  const std::shared_ptr<const RayRenderer> map = makeRayCaster(wall, {});
  const Vegetation vegetation = meadow({1, 0, 0});
  const auto plants = std::make_shared<const Plants>(vegetation);
  const auto both = withPlants(map, plants, {});
  const std::vector<Ray> rays = raysInto(vegetation, 4000);
  std::vector<Hit> of_map, of_plants = castAt(vegetation, rays), hits;
  map->cast(rays, of_map);
  both->cast(rays, hits);
  int undercut = 0;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const Hit& nearest = of_plants[i].range < of_map[i].range ? of_plants[i] : of_map[i];
    EXPECT_EQ(hits[i].range, nearest.range);
    EXPECT_EQ(hits[i].identity, nearest.identity);
    EXPECT_EQ(hits[i].surfel, nearest.surfel);
    if (of_map[i].valid() && of_plants[i].valid())
      undercut += scene::isPlant(hits[i].identity) ? 1 : 0;
  }
  EXPECT_GT(undercut, 300);
  EXPECT_EQ(both->name(), map->name());
  EXPECT_EQ(both->plantChannels().classes.size(), 80U + 50U + 189U);
}

TEST(Plants, AnswersDoNotDependOnTheNumberOfThreads) {
  const Vegetation vegetation = meadow({1, 2, 3});
  const std::vector<Ray> rays = raysInto(vegetation, 5000);
  RendererConfig several;
  several.threads = 0;
  std::vector<Hit> one = castAt(vegetation, rays), more;
  withPlants(std::shared_ptr<const RayRenderer>(new NothingRenderer),
             std::make_shared<const Plants>(vegetation), several)
      ->cast(rays, more);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    ASSERT_EQ(one[i].range, more[i].range);
    ASSERT_EQ(one[i].identity, more[i].identity);
    ASSERT_EQ(one[i].surfel, more[i].surfel);
  }
}

TEST(Plants, StandInImagesAsInScans) {
  const Vegetation vegetation = meadow({0, 0, 0});
  const auto plants = std::make_shared<const Plants>(vegetation);
  const ImageGrid grid = pinholeGrid(120, 80, 60.0);
  const Pose X_WC{Eigen::Quaterniond(Eigen::AngleAxisd(kPi / 2, -Vector3d::UnitX())), {0, -6, 0.4}};
  std::vector<Hit> hits;
  withPlants(std::shared_ptr<const ImageRenderer>(new NothingRenderer), plants, {})
      ->renderImage(grid, X_WC, 50.0, hits);
  const PlantOracle oracle(vegetation);
  const std::vector<OracleRay> rays = imageRays(grid, X_WC, 50.0);
  int met = 0, ambiguous = 0;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const PlantOracle::Answer answer = oracle.trace(rays[i]);
    ambiguous += answer.ambiguous ? 1 : 0;
    if (answer.ambiguous) continue;
    ASSERT_EQ(hits[i].valid(), std::isfinite(answer.meeting.range)) << i;
    if (!hits[i].valid()) continue;
    ++met;
    EXPECT_NEAR(static_cast<double>(hits[i].range), answer.meeting.range, 2e-5);
  }
  EXPECT_GT(met, 500);
  EXPECT_LT(ambiguous, 20);
}

TEST(Plants, RaysThatCanMeetNothingMeetNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Ray> rays = {
      makeRay({nan, 0, 0.5}, {1, 0, 0}, 100), makeRay({-3, 0, 0.5}, {nan, 0, 0}, 100),
      makeRay({-3, 0, 0.5}, {0, 0, 0}, 100), makeRay({-3, 0, 0.5}, {1, 0, 0}, -1)};
  for (const Hit& hit : castAt(stemAndLeaf(), rays)) EXPECT_FALSE(hit.valid());
  for (const Hit& hit : castAt(Vegetation{}, {makeRay({0, 0, 0}, {1, 0, 0}, 9)})) {
    EXPECT_FALSE(hit.valid());
  }
}

TEST(Plants, RefuseWhatHasNoExtent) {
  Vegetation vegetation = stemAndLeaf();
  vegetation.patches[0].cylinders[0].radius = 0.0F;
  EXPECT_THROW(Plants{vegetation}, ConfigError);
  vegetation = stemAndLeaf();
  vegetation.instances[0].patch = 1;
  EXPECT_THROW(Plants{vegetation}, ConfigError);
  vegetation = stemAndLeaf();
  vegetation.sway.lean = radians(80);
  EXPECT_THROW(Plants{vegetation}, ConfigError);
}

}  // namespace
}  // namespace marsim::lidar
