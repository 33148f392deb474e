// SPDX-License-Identifier: BSD-3-Clause
#include "scene/fidelity_place.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "cloud_checks.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

Vector3d randomDirection(RandomStream& random) {
  const double x = random.normal();
  const double y = random.normal();
  const double z = random.normal();
  return Vector3d(x, y, z).normalized();
}

/// Goes along the ray as far as nothing can be until a surface is near: knows distances only. Where
/// it gets past the surface at `range`, or stops before it, the two do not agree.
double march(const Shape& shape, const Vector3d& origin, const Vector3d& direction, double most) {
  double range = 0.0;
  for (int step = 0; step < 200000 && range < most; ++step) {
    const double free = distanceTo(shape, origin + range * direction);
    if (free < 1e-7) return range;
    range += free;
  }
  return kNoRange;
}

TEST(FidelityPlace, RangesAreWhereTheDistanceVanishes) {
  const FidelityPlace place;
  RandomStream random(7);
  int hits = 0;
  for (const FidelityPlace::Solid& part : place.parts()) {
    for (int i = 0; i < 60; ++i) {
      const Vector3d origin = stationOn(place, 20, random.uniform());
      // Few rays meet a rod by chance: these are aimed at its axis.
      Vector3d direction = randomDirection(random);
      if (const auto* rod = std::get_if<Cylinder>(&part.shape)) {
        const double share = random.uniform();
        direction = (rod->from + share * (rod->to - rod->from) - origin).normalized();
      }
      const double range = rangeTo(part.shape, origin, direction);
      const double marched = march(part.shape, origin, direction, 20.0);
      if (std::isinf(range) || range > 19.9) continue;  // a graze may stop the march
      ++hits;
      EXPECT_NEAR(marched, range, 1e-4);
    }
  }
  EXPECT_GT(hits, 800);
}

TEST(FidelityPlace, AMissKeepsItsDistance) {
  const FidelityPlace place;
  RandomStream random(8);
  for (const FidelityPlace::Solid& part : place.parts()) {
    const Vector3d origin = stationOn(place, 21, random.uniform());
    const Vector3d direction = randomDirection(random);
    if (rangeTo(part.shape, origin, direction) < kNoRange) continue;
    for (double range = 0.0; range < 12.0; range += 0.01) {
      EXPECT_GT(distanceTo(part.shape, origin + range * direction), 0.0);
    }
  }
}

TEST(Shapes, RangesInClosedForm) {
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  const Shape wall = Rectangle{{2.0, -1.0, -1.0}, 2.0 * y, 2.0 * z};
  EXPECT_DOUBLE_EQ(rangeTo(wall, Vector3d::Zero(), x), 2.0);
  EXPECT_DOUBLE_EQ(rangeTo(wall, Vector3d::Zero(), -x), kNoRange);
  EXPECT_DOUBLE_EQ(rangeTo(wall, 1.01 * y, x), kNoRange);
  EXPECT_DOUBLE_EQ(rangeTo(wall, Vector3d::Zero(), y), kNoRange);
  const Shape box = Box{5.0 * x, Eigen::Matrix3d::Identity(), {1.0, 2.0, 3.0}};
  EXPECT_DOUBLE_EQ(rangeTo(box, Vector3d::Zero(), x), 4.0);
  EXPECT_DOUBLE_EQ(rangeTo(box, 5.0 * x, x), 1.0);
  EXPECT_DOUBLE_EQ(rangeTo(box, 2.5 * y, x), kNoRange);
  const Shape ball = Sphere{3.0 * x, 0.5};
  EXPECT_NEAR(rangeTo(ball, 0.3 * y, x), 3.0 - 0.4, 1e-14);
  const Shape rod = Cylinder{{2.0, 0.0, -1.0}, {2.0, 0.0, 1.0}, 0.1};
  EXPECT_NEAR(rangeTo(rod, 0.06 * y, x), 2.0 - 0.08, 1e-14);
  EXPECT_DOUBLE_EQ(rangeTo(rod, {2.05, 0.0, 3.0}, -z), 2.0);
  EXPECT_DOUBLE_EQ(rangeTo(rod, 1.01 * z, x), kNoRange);
  EXPECT_DOUBLE_EQ(distanceTo(rod, {2.4, 0.0, 1.4}), 0.5);
}

TEST(Shapes, ApproachIsTheLeastOfManyTries) {
  RandomStream random(9);
  for (int i = 0; i < 50; ++i) {
    const Cylinder rod{randomDirection(random), 2.0 * randomDirection(random), 0.1};
    const Vector3d origin = 2.0 * randomDirection(random);
    const Vector3d direction = randomDirection(random);
    const double most = random.uniform(0.5, 5.0);
    const Approach approach = approachOf(rod, origin, direction, most);
    double least = kNoRange;
    for (int a = 0; a <= 200; ++a) {
      const Vector3d at = origin + most * a / 200.0 * direction;
      least = std::min(least, distanceTo(Cylinder{rod.from, rod.to, 1e-9}, at));
    }
    EXPECT_LT(approach.distance, least + 1e-6);
    EXPECT_GT(approach.distance, least - 0.5 * most / 200.0 - 1e-6);
    EXPECT_NEAR(distanceTo(Cylinder{rod.from, rod.to, 1e-9}, origin + approach.range * direction),
                approach.distance, 1e-6);
  }
}

TEST(FidelityPlace, EveryBeamEndsOnAPart) {
  const FidelityPlace place;
  RandomStream random(10);
  for (int i = 0; i < 2000; ++i) {
    const Vector3d origin = stationOn(place, 22, random.uniform());
    const Vector3d direction = randomDirection(random);
    const FidelityPlace::Hit hit = place.cast(origin, direction);
    ASSERT_GE(hit.part, 0);
    EXPECT_LT(place.clearance(origin + hit.range * direction), 1e-9);
    EXPECT_GT(place.clearance(origin), 0.34);
  }
}

HandheldScan small() {
  HandheldScan config;
  config.beams_per_pass = 5000;
  return config;
}

TEST(HandheldScan, SameSeedSameBytes) {
  const FidelityPlace place;
  EXPECT_TRUE(sameBytes(scan(place, small()), scan(place, small())));
  HandheldScan other = small();
  other.seed = 2;
  EXPECT_FALSE(sameBytes(scan(place, small()), scan(place, other)));
}

TEST(HandheldScan, PointsLieOnSurfacesButForTheNoise) {
  const FidelityPlace place;
  HandheldScan exact = small();
  exact.range_noise = exact.pass_offset = 0.0;
  const map::PointCloud cloud = scan(place, exact);
  EXPECT_EQ(cloud.size(), 40'000U);
  for (const Eigen::Vector3f& p : cloud.points) {
    ASSERT_LT(place.clearance(p.cast<double>()), 1e-5);
  }
  // The beams with noise: each point is moved along its beam, and each pass as a whole.
  HandheldScan noisy = small();
  noisy.pass_offset = 0.0;
  const map::PointCloud moved = scan(place, noisy);
  ASSERT_EQ(moved.size(), cloud.size());
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const double step = (moved.points[i] - cloud.points[i]).cast<double>().norm();
    sum += step;
    squares += step * step;
  }
  const double count = static_cast<double>(cloud.size());
  EXPECT_NEAR(std::sqrt(squares / count), 0.02, 0.0003);
  EXPECT_NEAR(sum / count, 0.02 * std::sqrt(2.0 / kPi), 0.0003);  // mean of a folded normal
  noisy = small();
  noisy.range_noise = 0.0;
  const map::PointCloud shifted = scan(place, noisy);
  for (std::size_t pass = 0; pass < 8; ++pass) {
    const Eigen::Vector3f shift = shifted.points[5000 * pass] - cloud.points[5000 * pass];
    EXPECT_GT(shift.norm(), 1e-4F);
    EXPECT_LT(shift.norm(), 0.05F);
    const std::size_t last = 5000 * pass + 4999;
    EXPECT_LT((shifted.points[last] - cloud.points[last] - shift).norm(), 1e-5F);
  }
}

TEST(HandheldScan, RefusesSettingsOutOfBounds) {
  HandheldScan config;
  config.passes = 0;
  EXPECT_THROW(scan(FidelityPlace(), config), ConfigError);
  config = {};
  config.range_noise = -0.01;
  EXPECT_THROW(scan(FidelityPlace(), config), ConfigError);
}

}  // namespace
}  // namespace marsim::scene
