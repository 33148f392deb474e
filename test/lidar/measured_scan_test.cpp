// SPDX-License-Identifier: BSD-3-Clause
// Scans of real surfel maps by the real ray caster: place, time and brightness of their returns.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lidar/planes.hpp"
#include "lidar/renderer_suite.hpp"
#include "lidar/surfel_sets.hpp"
#include "marsim/common/error.hpp"

namespace marsim::lidar {
namespace {

constexpr TimeNs kScan = 100'000'000;
constexpr double kWall = 3.0;  // [m] x of the wall

/// The wall x = `x` [m], `half` wide and high either way; left of y = 0 it reflects 20 %, right of
/// it 80 %. As a maker's renderer is tested with it.
Map wallMap(double x, double half, const Maker& maker) {
  const map::SurfelMapConfig config;
  map::SurfelSet set;
  if (maker.blended) set.blending = {0.15F, 0.8F, 0.05F};
  set.planar_threshold = 0.02F;
  for (double y = -half; y <= half; y += 0.1) {
    for (double z = -half; z <= half; z += 0.1) {
      set.surfels.push_back(
          {Eigen::Vector3d(x, y, z).cast<float>(), Eigen::Vector3f::UnitX(), 0.0F});
      set.channels.reflectivity.push_back(y > 0.0 ? 51 : 204);
      set.channels.classes.push_back(y > 0.0 ? 50 : 70);
    }
  }
  return std::make_shared<const map::SurfelMap>(map::SurfelMap::of(set, config));
}

/// 5 m/s along the wall, turning at 2 rad/s.
KinematicState flight(TimeNs stamp) {
  const double t = toSeconds(stamp);
  KinematicState state;
  state.stamp = stamp;
  state.X_WB = {fromRollPitchYaw(0.0, 0.0, 0.4 + 2.0 * t), {0.0, -1.5 + 5.0 * t, 0.5}};
  state.v_WB = {0.0, 5.0, 0.0};
  state.w_WB_B = {0.0, 0.0, 2.0};
  return state;
}

StateHistory flightHistory(TimeNs until) {
  StateHistory states;
  for (TimeNs t = 0; t <= until; t += 2'000'000) states.push(flight(t));
  return states;
}

/// Scans by every renderer that casts rays.
class MeasuredScan : public testing::TestWithParam<Maker> {
 protected:
  static Map wall(double x, double half) { return wallMap(x, half, GetParam()); }
  static std::shared_ptr<const RayRenderer> caster(const Map& map) {
    return GetParam().make(map, GetParam().config).rays;
  }
};
INSTANTIATE_TEST_SUITE_P(All, MeasuredScan, testing::ValuesIn(rayMakers()), labelOf);

LidarConfig mountedSpinner() {
  LidarConfig config = spinner();
  config.X_BS = {fromRollPitchYaw(0.05, 0.3, -0.2), {0.1, -0.05, 0.12}};
  return config;
}

double offWall(const Eigen::Vector3d& p) { return std::abs(p.x() - kWall); }

TEST_P(MeasuredScan, EveryPointLiesOnTheWallFromItsOwnPoseAndNotFromOne) {
  const LidarConfig config = mountedSpinner();
  Lidar lidar(config, caster(wall(kWall, 6.0)));
  const StateHistory history = flightHistory(5 * kScan);
  for (const TimeNs begin : {TimeNs{0}, TimeNs{123'456'789}, 4 * kScan}) {
    const Scan scan = lidar.scan(begin, begin + kScan, history);
    ASSERT_GT(scan.points.size(), 5'000U);
    std::size_t late = 0, off = 0;
    double farthest_off = 0.0;
    for (const ScanPoint& point : scan.points) {
      const Pose X_WS = flight(scan.stamp + toNs(point.time)).X_WB * config.X_BS;
      const Eigen::Vector3d p_W = X_WS * point.p_S.cast<double>();
      ASSERT_LT(offWall(p_W), 1e-3);
      ASSERT_LT((p_W - point.p_W.cast<double>()).norm(), 1e-3);
      const double frozen = offWall(scan.X_WS * point.p_S.cast<double>());
      farthest_off = std::max(farthest_off, frozen);
      if (point.time < 0.02F) continue;
      ++late;
      off += frozen > 1e-3 ? 1 : 0;
    }
    EXPECT_GT(static_cast<double>(off), 0.95 * static_cast<double>(late));
    EXPECT_GT(farthest_off, 0.3);
  }
}

TEST_P(MeasuredScan, AnInstantaneousScanIsOfOnePose) {
  LidarConfig config = mountedSpinner();
  config.instantaneous = true;
  Lidar lidar(config, caster(wall(kWall, 6.0)));
  lidar.keepMisses(true);
  const TimeNs begin = 123'456'789;
  const Scan scan = lidar.scan(begin, begin + kScan, flightHistory(126'000'000));
  ASSERT_GT(scan.points.size(), 5'000U);
  EXPECT_NEAR(static_cast<double>(scan.rays), 28'934.4, 16.0);
  const Pose X_WS = flight(scan.stamp).X_WB * config.X_BS;
  for (const ScanPoint& point : scan.points) {
    ASSERT_EQ(point.time, 0.0F);
    ASSERT_LT(offWall(X_WS * point.p_S.cast<double>()), 1e-3);
  }
  ASSERT_FALSE(scan.misses.empty());
  for (const ScanMiss& miss : scan.misses) ASSERT_EQ(miss.time, 0.0F);
}

// A plate comes nearer at 10 m/s while a sensor at rest looks at it.
TEST_P(MeasuredScan, ObjectsStandWhereTheyAreWhenTheyAreHit) {
  const auto plate = wall(0.0, 1.0);
  MovingObject object;
  object.shape = plate;
  object.identity = 5;
  object.step = 0.1;
  for (const double x : {4.0, 3.0}) {
    object.X_WM.push_back({Eigen::Quaterniond::Identity(), {x, 0.0, 0.0}});
  }
  LidarConfig config = spinner();
  Lidar lidar(config, caster(wall(20.0, 2.0)));
  const TimeNs begin = 2 * kScan + 17'000;
  const std::vector<MovingObject> objects = {object};
  const Scan scan = lidar.scan(begin, begin + kScan, resting({}), objects);
  std::size_t met = 0;
  for (const ScanPoint& point : scan.points) {
    if (point.identity != 5U) continue;
    ++met;
    const double since_begin = toSeconds(scan.stamp - begin) + static_cast<double>(point.time);
    ASSERT_NEAR(static_cast<double>(point.p_W.x()), 4.0 - 10.0 * since_begin, 1e-3);
  }
  EXPECT_GT(met, 500U);
  config.instantaneous = true;
  Lidar frozen(config, caster(wall(20.0, 2.0)));
  const Scan instant = frozen.scan(begin, begin + kScan, resting({}), objects);
  met = 0;
  for (const ScanPoint& point : instant.points) {
    if (point.identity != 5U) continue;
    ++met;
    ASSERT_NEAR(static_cast<double>(point.p_W.x()), 4.0 - 10.0 * toSeconds(instant.stamp - begin),
                1e-3);
  }
  EXPECT_GT(met, 500U);
}

// The plate again, by beams whose rays see it, the wall behind it, or both.
TEST_P(MeasuredScan, BeamsOfNineRaysSeeObjectsAndWhatIsBehindThem) {
  MovingObject object;
  object.shape = wall(0.0, 1.0);
  object.identity = 5;
  object.step = 0.1;
  for (const double x : {4.0, 3.0}) {
    object.X_WM.push_back({Eigen::Quaterniond::Identity(), {x, 0.0, 0.0}});
  }
  LidarConfig config = spinner();
  config.beam.divergence_horizontal = config.beam.divergence_vertical = 4e-3;
  config.beam.rays = 9;
  config.beam.pulse_length = 5e-9;
  config.returns.mode = ReturnMode::kDual;
  Lidar lidar(config, caster(wall(9.0, 6.0)));
  const Scan scan = lidar.scan(0, kScan, resting({}), std::vector<MovingObject>{object});
  std::size_t met = 0, both = 0;
  for (const ScanPoint& point : scan.points) {
    const double since = static_cast<double>(point.time) + toSeconds(scan.stamp);
    const double x = point.identity == 5U ? 4.0 - 10.0 * since : 9.0;
    // Rays of a beam differ in range by what the beam is wide, times the tangent of the incidence.
    ASSERT_NEAR(static_cast<double>(point.p_W.x()), x, 0.02);
    met += point.identity == 5U ? 1 : 0;
    both += point.return_count == 2 ? 1 : 0;
  }
  EXPECT_GT(met, 500U);
  EXPECT_GT(both, 20U);
  EXPECT_EQ(both % 2, 0U);
}

TEST_P(MeasuredScan, ReflectivityIsTheSurfacesTimesLambertsCosine) {
  LidarConfig config = spinner();
  config.intensity.scale = 150.0;
  Lidar lidar(config, caster(wall(kWall, 6.0)));
  const Scan scan = lidar.scan(0, kScan, resting({}));
  std::size_t left = 0, right = 0;
  for (const ScanPoint& point : scan.points) {
    if (std::abs(point.p_W.y()) < 0.2F) continue;  // where a surfel reaches over the border
    const double surface = point.p_W.y() > 0.0F ? 0.2 : 0.8;
    const double cosine = kWall / static_cast<double>(point.range);
    ASSERT_NEAR(static_cast<double>(point.reflectivity), surface * cosine, 1e-3);
    ASSERT_NEAR(static_cast<double>(point.intensity), 150.0 * surface * cosine, 0.5 + 0.15);
    ++(point.p_W.y() > 0.0F ? left : right);
  }
  EXPECT_GT(left, 1'000U);
  EXPECT_GT(right, 1'000U);
}

TEST_P(MeasuredScan, AThingHasItsOwnReflectivity) {
  MovingObject object;
  object.shape = wall(0.0, 1.0);
  object.identity = 5;
  object.X_WM.push_back({Eigen::Quaterniond::Identity(), {4.0, 0.0, 0.0}});
  LidarConfig config = spinner();
  config.reflectivity = 0.3;
  Lidar lidar(config,
              caster(storedFor(GetParam(), roomMap({8.0, 8.0, 3.0}, 0.2, Kind::kNotPlanar))));
  const Scan scan = lidar.scan(0, kScan, resting({}), std::vector<MovingObject>{object});
  std::size_t met = 0;
  for (const ScanPoint& point : scan.points) {
    if (point.identity == kMapIdentity) {
      // Not planar: seen head-on from anywhere; a map without reflectivities takes the sensor's.
      ASSERT_NEAR(point.reflectivity, 0.3F, 1e-3F);
      continue;
    }
    if (std::abs(point.p_W.y()) < 0.2F) continue;
    ++met;
    const double surface = point.p_W.y() > 0.0F ? 0.2 : 0.8;
    ASSERT_NEAR(static_cast<double>(point.reflectivity),
                surface * 4.0 / static_cast<double>(point.range), 1e-3);
  }
  EXPECT_GT(met, 300U);
}

TEST_P(MeasuredScan, AThingOfOneReflectivity) {
  MovingObject plain, told;
  plain.shape = told.shape = wall(0.0, 1.0);  // says 0.2 and 0.8
  plain.identity = 5;
  told.identity = 6;
  told.reflectivity = 102;
  told.semantic_class = 30;
  plain.X_WM.push_back({Eigen::Quaterniond::Identity(), {4.0, 0.0, 0.0}});
  told.X_WM.push_back({Eigen::Quaterniond::Identity(), {-4.0, 0.0, 0.0}});
  Lidar lidar(spinner(),
              caster(storedFor(GetParam(), roomMap({8.0, 8.0, 3.0}, 0.2, Kind::kNotPlanar))));
  const Scan scan = lidar.scan(0, kScan, resting({}), std::vector<MovingObject>{told, plain});
  std::size_t met = 0;
  for (const ScanPoint& point : scan.points) {
    if (point.identity == kMapIdentity || std::abs(point.p_W.y()) < 0.2F) continue;
    ++met;
    const double surface = point.identity == 6 ? 0.4 : point.p_W.y() > 0.0F ? 0.2 : 0.8;
    ASSERT_NEAR(static_cast<double>(point.reflectivity),
                surface * 4.0 / static_cast<double>(point.range), 1e-3);
    const int number = point.identity == 6 ? 30 : point.p_W.y() > 0.0F ? 50 : 70;
    ASSERT_EQ(int{point.semantic_class}, number);
  }
  EXPECT_GT(met, 600U);
}

/// Intensities of the floor 2 m below, of one ring each: reflectivity 0.6, incidence cosine sin e.
void expectIntensity(const IntensityConfig& intensity,
                     double (*expected)(double cosine, double range)) {
  LidarConfig config = spinner();
  config.reflectivity = 0.6;
  config.intensity = intensity;
  Lidar lidar(config, std::make_shared<PlaneRenderer>(Eigen::Vector3d::UnitZ(), 0.0));
  const Scan scan = lidar.scan(0, kScan, resting({Eigen::Quaterniond::Identity(), {0, 0, 2.0}}));
  ASSERT_GT(scan.points.size(), 10'000U);
  for (const ScanPoint& point : scan.points) {
    const double cosine = 2.0 / static_cast<double>(point.range);
    const double value = expected(cosine, static_cast<double>(point.range));
    ASSERT_NEAR(static_cast<double>(point.intensity), value, 0.501) << point.range;
    ASSERT_EQ(point.intensity, std::round(point.intensity));
    ASSERT_NEAR(static_cast<double>(point.reflectivity), 0.6 * cosine, 1e-5);
  }
}

TEST(ScanIntensity, FollowsTheDriversConvention) {
  expectIntensity({}, [](double cosine, double) { return 100.0 * 0.6 * cosine; });
  IntensityConfig bright;
  bright.scale = 10'000.0;
  expectIntensity(bright, [](double cosine, double) { return std::min(255.0, 6000.0 * cosine); });
  IntensityConfig signal;
  signal.scale = 500.0;
  signal.limit = 4000.0;
  signal.range_reference = 15.0;
  expectIntensity(signal, [](double cosine, double range) {
    return 500.0 * 0.6 * cosine * 225.0 / (range * range);
  });
  IntensityConfig constant;
  constant.constant = 100.0;
  expectIntensity(constant, [](double, double) { return 100.0; });
}

TEST(IntensityConfig, RefusesValuesOutOfBounds) {
  const auto complaint = [](const IntensityConfig& config) -> std::string {
    try {
      checkSettings("x.yaml", config);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "valid";
  };
  IntensityConfig config;
  EXPECT_EQ(complaint(config), "valid");
  config.scale = -1.0;
  EXPECT_EQ(complaint(config), "x.yaml: intensity.scale is -1, allowed: 0 or more");
  config = {};
  config.limit = 0.0;
  EXPECT_EQ(complaint(config), "x.yaml: intensity.limit is 0, allowed: 1 to 65535");
  config = {};
  config.range_reference = NAN;
  EXPECT_EQ(complaint(config), "x.yaml: intensity.range_reference is nan, allowed: 0 or more m");
}

}  // namespace
}  // namespace marsim::lidar
