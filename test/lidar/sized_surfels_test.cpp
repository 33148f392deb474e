// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "lidar/renderer_suite.hpp"
#include "map/make/point_spacing.hpp"
#include "marsim/common/units.hpp"
#include "marsim/map/voxel_grid.hpp"

/// Maps of surface "sized" against geometry in closed form: the share of rays that a shape stops,
/// with 5 mm of noise.
namespace marsim::lidar {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr double kNoise = 0.005;  // [m]
constexpr std::uint64_t kSeeds = 5;

class Points {
 public:
  explicit Points(std::uint64_t seed) : random(seed, "shape") {}

  void add(const Vector3d& p) { cloud.points.push_back(p.cast<float>()); }
  Vector3d noise() { return kNoise * Vector3d(random.normal(), random.normal(), random.normal()); }
  /// A wall across x, points about `spacing` apart.
  void addWall(double x, double from_y, double to_y, double half_height, double spacing,
               double noise = kNoise) {
    for (double y = from_y; y < to_y; y += spacing) {
      for (double z = -half_height; z < half_height; z += spacing) {
        const double a = spacing * random.uniform(-0.5, 0.5),
                     b = spacing * random.uniform(-0.5, 0.5);
        add({x + noise * random.normal(), y + a, z + b});
      }
    }
  }

  RandomStream random;
  map::PointCloud cloud;
};

/// Casts rays from the origin at a map of the points.
class Target {
 public:
  Target(const map::PointCloud& cloud, double resolution,
         map::Surface surface = map::Surface::kSized, double noise = kNoise) {
    map::SurfelMapConfig config;
    config.resolution = resolution;
    config.surface = surface;
    config.noise = noise;
    map_ = std::make_shared<const map::SurfelMap>(map::SurfelMap::build(cloud, config));
    caster_ = makeRayCaster(map_);
  }

  /// Ranges [m] of rays from the origin towards some places.
  std::vector<double> rangesTo(const std::vector<Vector3d>& places) const {
    std::vector<Ray> rays;
    for (const Vector3d& place : places) {
      rays.push_back(makeRay(Vector3d::Zero(), place.normalized(), 45.0));
    }
    return rangesOf(rays);
  }
  std::vector<double> rangesOf(const std::vector<Ray>& rays) const {
    std::vector<Hit> hits;
    caster_->cast(rays, hits);
    std::vector<double> ranges;
    for (const Hit& hit : hits) ranges.push_back(static_cast<double>(hit.range));
    return ranges;
  }
  /// Share of rays towards places that end nearer than `before` [m] in front of these.
  double shareStopped(const std::vector<Vector3d>& places, double before) const {
    const std::vector<double> ranges = rangesTo(places);
    std::size_t stopped = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      stopped += ranges[i] < places[i].norm() - before ? 1 : 0;
    }
    return static_cast<double>(stopped) / static_cast<double>(places.size());
  }

  const map::SurfelMap& map() const { return *map_; }

 private:
  std::shared_ptr<const map::SurfelMap> map_;
  std::unique_ptr<RayCaster> caster_;
};

/// Round leaves in a ball of 1 m, 6 m ahead of a wall 8 m away.
class Leaves {
 public:
  static constexpr double kRadius = 0.025;  // [m]

  Leaves(Points& points, int count) {
    RandomStream& random = points.random;
    for (int i = 0; i < count; ++i) {
      const Vector3d way(random.normal(), random.normal(), random.normal());
      const Vector3d c = Vector3d(6, 0, 0) + 0.5 * std::cbrt(random.uniform()) * way.normalized();
      const Vector3d n = Vector3d(random.normal(), random.normal(), random.normal()).normalized();
      const Vector3d u = n.unitOrthogonal(), v = n.cross(u);
      leaves_.push_back({c, n});
      for (int k = 0; k < 25; ++k) {
        const double reach = kRadius * std::sqrt(random.uniform());
        const double angle = random.uniform(0.0, 2.0 * kPi);
        points.add(c + reach * (std::cos(angle) * u + std::sin(angle) * v) + points.noise());
      }
    }
  }

  bool stop(const Vector3d& direction) const {
    for (const Leaf& leaf : leaves_) {
      const double t = leaf.centre.dot(leaf.normal) / direction.dot(leaf.normal);
      if ((t * direction - leaf.centre).squaredNorm() < kRadius * kRadius) return true;
    }
    return false;
  }

 private:
  struct Leaf {
    Vector3d centre, normal;
  };
  std::vector<Leaf> leaves_;
};

struct Foliage {
  double truth = 0.0, stopped = 0.0, wrongly = 0.0;  // shares; of the rays that truly pass
};

Foliage castAtLeaves(int count, double resolution) {
  constexpr int kRays = 1000;
  Foliage sum;
  int passing = 0, wrong = 0, truth = 0, stopped = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Points points(seed);
    points.addWall(8.0, -2.0, 2.0, 2.0, 0.02);
    const Leaves leaves(points, count);
    const Target target(points.cloud, resolution);
    std::vector<Vector3d> places;
    for (int i = 0; i < kRays; ++i) {
      places.emplace_back(8.0, points.random.uniform(-0.45, 0.45),
                          points.random.uniform(-0.45, 0.45));
    }
    const std::vector<double> ranges = target.rangesTo(places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const bool is_stopped = ranges[i] < places[i].norm() - 0.5;
      const bool is_truth = leaves.stop(places[i].normalized());
      truth += is_truth ? 1 : 0;
      stopped += is_stopped ? 1 : 0;
      passing += is_truth ? 0 : 1;
      wrong += !is_truth && is_stopped ? 1 : 0;
    }
  }
  const double all = static_cast<double>(kRays * kSeeds);
  return {truth / all, stopped / all, static_cast<double>(wrong) / passing};
}

TEST(SizedSurfels, LetRaysThroughFoliage) {
  const Foliage coarse = castAtLeaves(200, 0.1), fine = castAtLeaves(200, 0.05);
  EXPECT_NEAR(coarse.stopped, coarse.truth, 0.15);
  EXPECT_LT(coarse.wrongly, 0.30);
  EXPECT_NEAR(fine.stopped, fine.truth, 0.06);
  EXPECT_LT(fine.wrongly, 0.25);
}

TEST(SizedSurfels, KeepPolesThin) {
  for (const double resolution : {0.1, 0.05}) {
    double beside = 0.0, middle = 0.0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Points points(seed);
      points.addWall(8.0, -2.0, 2.0, 2.0, 0.02);
      for (int i = 0; i < 20000; ++i) {
        const double angle = points.random.uniform(0.0, 2.0 * kPi);
        points.add(Vector3d(6.0 + 0.03 * std::cos(angle), 0.03 * std::sin(angle),
                            points.random.uniform(-1.0, 1.0)) +
                   points.noise());
      }
      const Target target(points.cloud, resolution);
      std::vector<Vector3d> at_middle, at_side;
      for (int i = 0; i < 400; ++i) {
        const double z = points.random.uniform(-0.8, 0.8);
        at_middle.push_back(Vector3d(6.0, 0.0, z) * 8.0 / 6.0);
        at_side.push_back(Vector3d(6.0, i % 2 == 0 ? 0.05 : -0.05, z) * 8.0 / 6.0);
      }
      middle += target.shareStopped(at_middle, 0.5) / kSeeds;
      beside += target.shareStopped(at_side, 0.5) / kSeeds;
    }
    EXPECT_LE(beside, 0.02) << resolution;
    EXPECT_GE(middle, 0.98) << resolution;
  }
}

TEST(SizedSurfels, EndAtTheEdgesOfWalls) {
  for (const double resolution : {0.1, 0.05}) {
    double beyond = 0.0, within = 0.0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Points points(seed);
      points.addWall(8.0, -2.0, 2.0, 2.0, 0.02);
      points.addWall(6.0, 0.0, 1.5, 1.0, 0.01);
      const Target target(points.cloud, resolution);
      std::vector<Vector3d> past, before;
      for (int i = 0; i < 400; ++i) {
        const double z = points.random.uniform(-0.8, 0.8);
        past.push_back(Vector3d(6.0, -0.02, z) * 8.0 / 6.0);
        before.push_back(Vector3d(6.0, 0.02, z) * 8.0 / 6.0);
      }
      beyond += target.shareStopped(past, 0.5) / kSeeds;
      within += target.shareStopped(before, 0.5) / kSeeds;
    }
    EXPECT_LE(beyond, 0.03) << resolution;
    EXPECT_GE(within, 0.97) << resolution;
  }
}

/// A wall of scan lines with points 1 cm apart.
Points scanLines(double gap) {
  Points points(3);
  for (double z = -2.0; z < 2.0; z += gap) {
    for (double y = -2.0; y < 2.0; y += 0.01) {
      points.add({5.0 + kNoise * points.random.normal(), y + points.random.uniform(-0.005, 0.005),
                  z + 0.003 * points.random.normal()});
    }
  }
  return points;
}

// A rough wall beside larger, smooth ones; the map measures the noise.
TEST(SizedSurfels, AreLargeOnRoughWallsBesideSmoothOnes) {
  constexpr double kRough = 0.025;  // [m]
  Points points(2);
  points.addWall(6.4, -4.0, 4.0, 3.0, 0.02, 0.003);
  points.addWall(8.5, -1.5, 1.5, 1.5, 0.02, kRough);
  const Target target(points.cloud, 0.1, map::Surface::kSized, 0.0);
  EXPECT_LT(target.map().noise(), 0.01F);
  std::size_t on_rough = 0;
  for (const map::Surfel& surfel : target.map().surfels()) {
    on_rough += surfel.position.x() > 7.5F ? 1 : 0;
  }
  EXPECT_LT(on_rough, 1000U);  // 225 voxels of 0.2 m
}

TEST(SizedSurfels, CloseTheGapsBetweenScanLines) {
  for (const double resolution : {0.1, 0.05}) {
    for (const double gap : {0.03, 0.1, 0.2}) {
      Points points = scanLines(gap);
      const Target target(points.cloud, resolution);
      std::vector<Vector3d> places;
      for (int i = 0; i < 2000; ++i) {
        places.emplace_back(5.0, points.random.uniform(-1.5, 1.5),
                            points.random.uniform(-1.5, 1.5));
      }
      EXPECT_GE(target.shareStopped(places, -0.3), 0.99) << resolution << " " << gap;
    }
  }
}

TEST(SizedSurfels, KeepRangesOfGrazingRays) {
  for (const double resolution : {0.1, 0.05}) {
    Points points(4);
    for (double x = 2.0; x < 20.0; x += 0.02) {
      for (double y = -0.3; y < 0.3; y += 0.02) {
        points.add({x + points.random.uniform(-0.01, 0.01), y + points.random.uniform(-0.01, 0.01),
                    -0.3 + kNoise * points.random.normal()});
      }
    }
    const Target target(points.cloud, resolution);
    for (const double angle : {80.0, 84.0, 88.0}) {
      const Vector3d way(std::sin(radians(angle)), 0.0, -std::cos(radians(angle)));
      const double expected = 0.3 / std::cos(radians(angle));
      std::vector<Ray> rays;
      for (int i = 0; i < 500; ++i) {
        const double at = points.random.uniform(3.0, 19.0);
        const double y = points.random.uniform(-0.2, 0.2);
        rays.push_back(makeRay(Vector3d(at, y, -0.3) - expected * way, way, 45.0));
      }
      double bias = 0.0;
      for (const double range : target.rangesOf(rays)) bias += (range - expected) / 500.0;
      EXPECT_LT(std::abs(bias), 0.015) << resolution << " " << angle;
    }
  }
}

// The forecast of map info, for a map of either kind, against rays cast at it.
TEST(SpacingForecast, IsTheShareOfRaysThatPassBetweenScanLines) {
  for (const map::Surface surface : {map::Surface::kBlended, map::Surface::kSized}) {
    for (const double resolution : {0.1, 0.05}) {
      for (const double gap : {0.1, 0.15, 0.2}) {
        Points points = scanLines(gap);
        const Target target(points.cloud, resolution, surface);
        const auto top = static_cast<double>(points.cloud.points.back().z());
        std::vector<Vector3d> places;
        for (int i = 0; i < 4000; ++i) {
          places.emplace_back(5.0, points.random.uniform(-2.0, 2.0),
                              points.random.uniform(-2.0, top));
        }
        const double passing = 1.0 - target.shareStopped(places, -0.3);
        std::vector<map::SheetProbe> probes;
        const double detail = target.map().config().detail();
        map::measureSpacing(map::downsample(points.cloud, detail), resolution, 0.0, &probes);
        const double forecast = map::shareOpen(probes, target.map());
        EXPECT_LE(forecast, 1.5 * passing + 0.01) << resolution << " " << gap;
        EXPECT_GE(forecast, passing / 1.5 - 0.01) << resolution << " " << gap;
      }
    }
  }
}

}  // namespace
}  // namespace marsim::lidar
