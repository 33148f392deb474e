// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "lidar/oracle.hpp"
#include "lidar/renderer_suite.hpp"
#include "lidar/surfel_sets.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Between poses: straight, and about one axis at constant speed.
Pose poseAt(const MovingObject& object, double time) {
  const auto last = static_cast<double>(object.X_WM.size() - 1);
  const double place = std::clamp((time - object.begin) / std::max(object.step, 1e-9), 0.0, last);
  const auto i = static_cast<std::size_t>(std::min(std::floor(place), std::max(last - 1.0, 0.0)));
  if (object.X_WM.size() == 1) return object.X_WM[0];
  const double part = place - static_cast<double>(i);
  const Pose &a = object.X_WM[i], &b = object.X_WM[i + 1];
  return {a.q * expMap(part * logMap(a.q.conjugate() * b.q)), a.p + part * (b.p - a.p)};
}

/// The answer of a map and of objects, each by an oracle of its own, met by rays in its own frame
/// as it stands at the ray's time.
class MovingOracle {
 public:
  MovingOracle(const Map& map, const std::vector<MovingObject>& objects)
      : objects_(objects), map_(*map) {
    for (const MovingObject& object : objects)
      shapes_.push_back(std::make_unique<const Oracle>(*object.shape));
  }

  struct Counts {
    int rays = 0, map = 0, objects = 0, ambiguous = 0;
  };

  Counts check(const std::vector<OracleRay>& rays, const std::vector<double>& times,
               const std::vector<Hit>& hits) const {
    Counts counts;
    EXPECT_EQ(hits.size(), rays.size());
    for (std::size_t i = 0; i < rays.size() && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("ray " + std::to_string(i));
      checkRay(rays[i], times[i], hits[i], counts);
    }
    return counts;
  }

 private:
  void checkRay(const OracleRay& ray, double time, const Hit& hit, Counts& counts) const {
    const OracleResult of_map = map_.trace(ray);
    double nearest = of_map.range;
    bool ambiguous = of_map.ambiguous;
    bool explained = hit.identity != kMapIdentity || map_.explains(ray, of_map, hit, false);
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const Pose X_MW = poseAt(objects_[i], time).inverse();
      OracleRay ray_M = ray;
      ray_M.origin = X_MW * ray.origin;
      ray_M.direction = X_MW.q * ray.direction;
      const OracleResult result = shapes_[i]->trace(ray_M);
      ambiguous |= result.ambiguous;
      nearest = std::min(nearest, result.range);
      if (hit.identity != objects_[i].identity) continue;
      Hit hit_M = hit;
      hit_M.normal = (X_MW.q * hit.normal.cast<double>()).cast<float>();
      explained = shapes_[i]->explains(ray_M, result, hit_M, true);
    }
    ++counts.rays;
    if (ambiguous) {
      ++counts.ambiguous;
      return;
    }
    EXPECT_EQ(hit.valid(), std::isfinite(nearest));
    EXPECT_EQ(hit.valid(), std::isfinite(hit.range));
    if (!hit.valid()) return;
    (hit.identity == kMapIdentity ? counts.map : counts.objects) += 1;
    EXPECT_NEAR(hit.range, nearest, 1e-3);
    EXPECT_TRUE(explained) << "identity " << hit.identity << ", surfel " << hit.surfel;
  }

  const std::vector<MovingObject>& objects_;
  const Oracle map_;
  std::vector<std::unique_ptr<const Oracle>> shapes_;
};

// A ball of planar and other surfels about a place that is not its frame's origin.
Map ballShape(std::uint64_t seed, double radius, double resolution, const Eigen::Vector3d& centre,
              bool blended = false) {
  RandomStream random(seed, "ball");
  std::vector<map::Surfel> surfels;
  const int count = static_cast<int>(10.0 * radius * radius / (resolution * resolution));
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3d n = randomDirection(random);
    surfels.push_back(makeSurfel(random, centre + radius * n, n, resolution, Kind::kMixed));
  }
  const auto r = static_cast<float>(resolution);
  map::SurfelMapConfig config;
  config.resolution = resolution;
  return std::make_shared<const map::SurfelMap>(
      surfels, config, blended ? map::Blending{1.5F * r, 0.8F, 0.7F * r} : map::Blending{});
}

Pose randomPose(RandomStream& random, double half_side) {
  return {expMap(randomInCube(random, 1.8)), randomInCube(random, half_side)};
}

// A few metres a second, several radians a second, over the time of the rays and not all of it.
std::vector<MovingObject> movingObjects(int count, double half_side) {
  RandomStream random(31, "objects");
  std::vector<MovingObject> objects;
  const Map shapes[] = {ballShape(1, 0.35, 0.15, {0.1, -0.2, 0.05}),
                        ballShape(2, 0.2, 0.1, Eigen::Vector3d::Zero(), true)};
  for (int i = 0; i < count; ++i) {
    MovingObject object;
    object.shape = shapes[i % 2];
    object.identity = static_cast<std::uint32_t>(100 + i);
    object.X_WM.push_back(randomPose(random, half_side));
    for (int k = 0; k < i % 4; ++k) {
      const Pose& last = object.X_WM.back();
      object.X_WM.push_back(
          {last.q * expMap(randomInCube(random, 0.3)), last.p + randomInCube(random, 0.2)});
    }
    // A quaternion's other sign is the same rotation.
    if (i % 3 == 0) object.X_WM.back().q.coeffs() *= -1.0;
    object.begin = 0.02;
    object.step = 0.025;
    objects.push_back(std::move(object));
  }
  return objects;
}

struct Rays {
  std::vector<Ray> rays;
  std::vector<OracleRay> oracle;
  std::vector<double> times;

  void add(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double time,
           double range_max) {
    rays.push_back({origin.cast<float>(), static_cast<float>(range_max), direction.cast<float>(),
                    static_cast<float>(time)});
    oracle.push_back(toOracleRay(rays.back()));
    times.push_back(static_cast<double>(rays.back().time));
  }
};

Rays raysFrom(int count, double half_side, double range_max = 12.0, bool with_minimum = true) {
  RandomStream random(32, "rays");
  Rays rays;
  for (int i = 0; i < count; ++i) {
    const double time = random.uniform(0.0, 0.12);
    const Eigen::Vector3d origin =
        Eigen::Vector3d(5.0 * time, 0.0, 0.3) + randomInCube(random, half_side);
    rays.add(origin, randomDirection(random), time, range_max);
    if (i % 4 != 0 || !with_minimum) continue;
    rays.rays.back().range_min = static_cast<float>(random.uniform(0.0, 2.0));
    rays.oracle.back() = toOracleRay(rays.rays.back());
  }
  return rays;
}

ImageGrid turnGrid(int width, int height) {
  ImageGrid grid;
  grid.width = width;
  grid.height = height;
  grid.elevation_min = radians(-80.0);
  grid.elevation_max = radians(80.0);
  return grid;
}

class MovingObjectsTest : public testing::TestWithParam<Maker> {
 protected:
  static Renderers make(const Map& map, int threads = 1) {
    RendererConfig config = GetParam().config;
    config.threads = threads;
    return GetParam().make(storedFor(GetParam(), map), config);
  }

  static MovingOracle::Counts checkRays(const Map& map, const std::vector<MovingObject>& objects,
                                        const Rays& rays) {
    const Renderers renderers = make(map);
    if (renderers.rays == nullptr) return {};
    std::vector<Hit> hits;
    renderers.rays->cast(rays.rays, objects, hits);
    return MovingOracle(storedFor(GetParam(), map), objects).check(rays.oracle, rays.times, hits);
  }

  static MovingOracle::Counts checkImage(const Map& map, const std::vector<MovingObject>& objects,
                                         const ImageGrid& grid, const Pose& X_WS) {
    std::vector<Hit> hits;
    make(map).images->renderImage(grid, X_WS, 12.0, objects, hits);
    return MovingOracle(storedFor(GetParam(), map), objects)
        .check(imageRays(grid, X_WS, 12.0), std::vector<double>(grid.size(), 0.0), hits);
  }
};

INSTANTIATE_TEST_SUITE_P(All, MovingObjectsTest, testing::ValuesIn(fewMakers()), labelOf);

TEST_P(MovingObjectsTest, MovingAndTurning) {
  const Map room = roomMap({3.0, 2.5, 2.0}, 0.2, Kind::kMixed);
  const auto counts = checkRays(room, movingObjects(12, 2.0), raysFrom(1500, 0.5));
  if (counts.rays == 0) return;
  EXPECT_GT(counts.objects, 200);
  EXPECT_GT(counts.map, 200);
  EXPECT_LT(counts.ambiguous, 25);
}

// An object that stands still is what a map of its surfels, moved, would be.
TEST_P(MovingObjectsTest, AsAMapOfMovedSurfels) {
  RandomStream random(34);
  const Map shape = ballShape(4, 1.5, 0.2, {0.3, 0.2, 0.1});
  MovingObject object;
  object.shape = shape;
  object.X_WM = {randomPose(random, 1.0)};
  std::vector<map::Surfel> surfels = shape->surfels();
  for (map::Surfel& surfel : surfels) {
    surfel.position = (object.X_WM[0] * surfel.position.cast<double>()).cast<float>();
    surfel.normal = (object.X_WM[0].q * surfel.normal.cast<double>()).cast<float>();
  }
  const Oracle oracle(*shape, std::move(surfels), Eigen::Vector3d::Zero());
  const ImageGrid grid = turnGrid(60, 30);
  std::vector<Hit> hits;
  make(makeMap({}, 0.2))
      .images->renderImage(grid, Pose{}, 12.0, std::vector<MovingObject>{object}, hits);
  const std::vector<OracleRay> rays = imageRays(grid, Pose{}, 12.0);
  int met = 0;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const OracleResult expected = oracle.trace(rays[i]);
    if (expected.ambiguous) continue;
    ASSERT_EQ(hits[i].valid(), expected.hit()) << i;
    if (!expected.hit()) continue;
    ASSERT_NEAR(hits[i].range, expected.range, 1e-3) << i;
    ++met;
  }
  EXPECT_GT(met, 200);
}

TEST_P(MovingObjectsTest, AroundTheSensor) {
  std::vector<MovingObject> objects = movingObjects(4, 0.2);
  for (MovingObject& object : objects) object.shape = ballShape(3, 0.8, 0.2, {0.1, 0.1, 0.1});
  const Map room = roomMap({3.0, 2.5, 2.0}, 0.2, Kind::kMixed);
  const auto counts = checkRays(room, objects, raysFrom(1000, 0.4));
  if (counts.rays > 0) {
    EXPECT_GT(counts.objects, 500);
  }
  EXPECT_GT(checkImage(room, objects, turnGrid(40, 20), Pose{}).objects, 300);
}

TEST_P(MovingObjectsTest, BehindWallsAndBeyondTheMaximum) {
  const Map room = roomMap({2.0, 2.0, 2.0}, 0.1, Kind::kPlanar);
  std::vector<MovingObject> objects = movingObjects(5, 0.3);
  for (MovingObject& object : objects) {
    for (Pose& pose : object.X_WM) pose.p += Eigen::Vector3d(0.0, 4.5, 0.0);
  }
  const auto counts = checkRays(room, objects, raysFrom(1500, 0.3, 12.0, false));
  EXPECT_EQ(counts.objects, 0);
  const Map none = makeMap({}, 0.1);
  const auto seen = checkRays(none, objects, raysFrom(1500, 0.3, 12.0, false));
  const auto cut = checkRays(none, objects, raysFrom(1500, 0.3, 2.5, false));
  if (seen.rays > 0) {
    EXPECT_GT(seen.objects, 5);
  }
  EXPECT_EQ(cut.objects, 0);
}

// One object that goes when its like begins elsewhere.
TEST_P(MovingObjectsTest, OnesThatComeAndGo) {
  std::vector<MovingObject> objects = movingObjects(10, 2.0);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    objects[i].identity = static_cast<std::uint32_t>(100 + i);
    (i % 2 == 0 ? objects[i].until : objects[i].from) = 0.06;
  }
  const Rays rays = raysFrom(1500, 0.5);
  std::vector<MovingObject> early, late;
  for (const MovingObject& object : objects)
    (object.until == 0.06 ? early : late).push_back(object);
  const Map room = roomMap({3.0, 2.5, 2.0}, 0.2, Kind::kMixed);
  const Renderers renderers = make(room);
  std::vector<Hit> hits, of_early, of_late;
  const auto expectSame = [](const Hit& hit, const Hit& expected) {
    EXPECT_EQ(hit.valid(), expected.valid());
    if (hit.valid()) {
      EXPECT_NEAR(hit.range, expected.range, 1e-4);
    }
    EXPECT_EQ(hit.identity, expected.identity);
  };
  const ImageGrid grid = turnGrid(60, 30);
  renderers.images->renderImage(grid, Pose{}, 12.0, objects, hits);
  renderers.images->renderImage(grid, Pose{}, 12.0, early, of_early);
  for (std::size_t i = 0; i < hits.size(); ++i) expectSame(hits[i], of_early[i]);
  if (renderers.rays == nullptr) return;
  // The oracle knows of no comings and goings: each half must be what it is with its objects alone.
  for (MovingObject& object : early) object.until = kInfinity;
  for (MovingObject& object : late) object.from = -kInfinity;
  renderers.rays->cast(rays.rays, objects, hits);
  renderers.rays->cast(rays.rays, early, of_early);
  renderers.rays->cast(rays.rays, late, of_late);
  int met = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const bool is_early = static_cast<double>(rays.rays[i].time) < 0.06;
    expectSame(hits[i], is_early ? of_early[i] : of_late[i]);
    met += hits[i].identity != kMapIdentity ? 1 : 0;
  }
  EXPECT_GT(met, 100);
}

TEST_P(MovingObjectsTest, InImages) {
  const Map room = roomMap({3.0, 2.5, 2.0}, 0.2, Kind::kMixed);
  const std::vector<MovingObject> objects = movingObjects(10, 2.0);
  ImageGrid pinhole;
  pinhole.projection = ImageGrid::Projection::kPinhole;
  pinhole.width = 60;
  pinhole.height = 40;
  pinhole.fx = pinhole.fy = 30.0;
  pinhole.cx = 30.2;
  pinhole.cy = 19.1;
  RandomStream random(33);
  for (int i = 0; i < 2; ++i) {
    const Pose X_WS = randomPose(random, 0.5);
    EXPECT_GT(checkImage(room, objects, turnGrid(73, 31), X_WS).objects, 50);
    checkImage(room, objects, pinhole, X_WS);
  }
}

TEST_P(MovingObjectsTest, TheFirstOfEqualAnswersCounts) {
  // A plate at x = 2 in the map, and objects just like it.
  const Map plate = makeMap({{{2.0F, 0.0F, 0.0F}, {1.0F, 0.0F, 0.0F}, 0.0F}}, 0.5);
  MovingObject first, second;
  first.shape = second.shape = plate;
  first.X_WM = second.X_WM = {Pose{}};
  first.identity = 8;
  second.identity = 3;
  ImageGrid grid;
  grid.width = grid.height = 1;
  grid.azimuth_min = grid.elevation_min = -0.01;
  grid.azimuth_max = grid.elevation_max = 0.01;
  std::vector<Hit> hits;
  make(plate).images->renderImage(grid, Pose{}, 9.0, std::vector<MovingObject>{first, second},
                                  hits);
  EXPECT_EQ(hits.at(0).identity, kMapIdentity);
  EXPECT_EQ(hits.at(0).range, 2.0F);
  make(makeMap({}, 0.5))
      .images->renderImage(grid, Pose{}, 9.0, std::vector<MovingObject>{first, second}, hits);
  EXPECT_EQ(hits.at(0).identity, 8U);
  EXPECT_EQ(hits.at(0).range, 2.0F);
  EXPECT_EQ(hits.at(0).normal, Eigen::Vector3f(-1.0F, 0.0F, 0.0F));
}

TEST_P(MovingObjectsTest, ThousandsFarAwayAndNoneChangeNothing) {
  const Map room = roomMap({3.0, 2.5, 2.0}, 0.2, Kind::kMixed);
  std::vector<MovingObject> objects = movingObjects(3000, 100.0);
  for (MovingObject& object : objects) {
    for (Pose& pose : object.X_WM) pose.p.x() += 500.0;
  }
  MovingObject empty;
  empty.shape = makeMap({}, 0.1);
  empty.X_WM = {Pose{}};
  const Renderers renderers = make(room);
  const auto expectSame = [](const std::vector<Hit>& hits, const std::vector<Hit>& others) {
    ASSERT_EQ(hits.size(), others.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      ASSERT_EQ(hits[i].range, others[i].range);
      ASSERT_EQ(hits[i].surfel, others[i].surfel);
      ASSERT_EQ(hits[i].identity, kMapIdentity);
    }
  };
  const std::vector<MovingObject> sets[] = {objects, {}, {empty}};
  const Rays rays = raysFrom(2000, 0.5);
  for (const auto& set : sets) {
    std::vector<Hit> hits, others;
    renderers.images->renderImage(turnGrid(80, 40), Pose{}, 12.0, hits);
    renderers.images->renderImage(turnGrid(80, 40), Pose{}, 12.0, set, others);
    expectSame(hits, others);
    if (renderers.rays == nullptr) continue;
    renderers.rays->cast(rays.rays, hits);
    renderers.rays->cast(rays.rays, set, others);
    expectSame(hits, others);
    renderers.rays->cast({}, set, others);
    EXPECT_TRUE(others.empty());
  }
}

TEST_P(MovingObjectsTest, SameAnswerWithAnyNumberOfThreads) {
  const Map room = roomMap({3.0, 2.5, 2.0}, 0.2, Kind::kMixed);
  const std::vector<MovingObject> objects = movingObjects(60, 2.5);
  const Rays rays = raysFrom(6000, 0.5);
  const ImageGrid grid = gridFor(GetParam(), turnGrid(203, 61));
  const auto render = [&](int threads) {
    const Renderers renderers = make(room, threads);
    std::vector<Hit> image, cast;
    renderers.images->renderImage(grid, Pose{}, 12.0, objects, image);
    if (renderers.rays != nullptr) renderers.rays->cast(rays.rays, objects, cast);
    image.insert(image.end(), cast.begin(), cast.end());
    return image;
  };
  const std::vector<Hit> expected = render(1);
  for (const int threads : {0, 3}) {
    const std::vector<Hit> hits = render(threads);
    ASSERT_EQ(hits.size(), expected.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      ASSERT_EQ(hits[i].range, expected[i].range) << i;
      ASSERT_EQ(hits[i].surfel, expected[i].surfel) << i;
      ASSERT_EQ(hits[i].identity, expected[i].identity) << i;
      ASSERT_EQ(hits[i].normal, expected[i].normal) << i;
    }
  }
}

TEST_P(MovingObjectsTest, RefusesWhatIsNotValid) {
  const Map room = roomMap({1.0, 1.0, 1.0}, 0.5, Kind::kMixed);
  const Renderers renderers = make(room);
  const MovingObject good = movingObjects(4, 1.0)[3];
  const auto expectRefused = [&](const MovingObject& bad) {
    std::vector<Hit> hits;
    const std::vector<MovingObject> objects{good, bad};
    EXPECT_THROW(renderers.images->renderImage(turnGrid(4, 4), Pose{}, 5.0, objects, hits),
                 ConfigError);
    if (renderers.rays == nullptr) return;
    EXPECT_THROW(renderers.rays->cast(raysFrom(3, 0.1).rays, objects, hits), ConfigError);
  };
  MovingObject bad = good;
  bad.shape = nullptr;
  expectRefused(bad);
  bad = good;
  bad.identity = kMapIdentity;
  expectRefused(bad);
  bad = good;
  bad.X_WM.clear();
  expectRefused(bad);
  bad = good;
  bad.step = 0.0;
  expectRefused(bad);
  bad = good;
  bad.until = std::nan("");
  expectRefused(bad);
  bad = good;
  bad.X_WM[1].p.x() = std::nan("");
  expectRefused(bad);
  bad = good;
  bad.X_WM[0].q.coeffs().setZero();
  expectRefused(bad);
}

}  // namespace
}  // namespace marsim::lidar
