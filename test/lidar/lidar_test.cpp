// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/lidar.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "lidar/planes.hpp"
#include "marsim/common/error.hpp"

namespace marsim::lidar {
namespace {

/// 5 m/s forward, pulling up, while turning at 3 rad/s about a tilted axis; states at 500 Hz.
struct Motion {
  const Eigen::Vector3d axis = Eigen::Vector3d(0.2, -0.3, 1.0).normalized();

  KinematicState at(TimeNs stamp) const {
    const double t = toSeconds(stamp);
    KinematicState state;
    state.stamp = stamp;
    state.X_WB.p = {5.0 * t, 0.3, 3.0 + 2.0 * t * t};
    state.v_WB = {5.0, 0.0, 4.0 * t};
    state.X_WB.q = expMap(axis * 3.0 * t);
    state.w_WB_B = axis * 3.0;
    return state;
  }
  StateHistory history(TimeNs begin, TimeNs end) const {
    StateHistory states;
    for (TimeNs t = begin; t <= end; t += 2'000'000) states.push(at(t));
    return states;
  }
};

TEST(Lidar, MotionWithinAScanIsUndoneByEachPointsOwnPose) {
  LidarConfig config = spinner();
  config.X_BS = {fromRollPitchYaw(0.1, 0.2, -0.4), {0.1, -0.05, 0.12}};
  const auto plane = std::make_shared<PlaneRenderer>(Eigen::Vector3d(0.1, -0.05, 1.0), 0.0);
  Lidar lidar(config, plane);
  const Motion motion;
  const StateHistory history = motion.history(0, 400'000'000);
  for (const TimeNs begin : {TimeNs{0}, TimeNs{100'000'000}, TimeNs{201'234'567}}) {
    const Scan scan = lidar.scan(begin, begin + 100'000'000, history);
    ASSERT_GT(scan.points.size(), 5'000U);
    double largest_undistorted = 0.0;
    for (const ScanPoint& point : scan.points) {
      ASSERT_LT(std::abs(plane->distance(point.p_W.cast<double>())), 1e-3);
      ASSERT_NEAR(point.p_S.norm(), point.range, 1e-4 * point.range);
      // The true motion, not the history, places the point as well.
      const TimeNs stamp = scan.stamp + toNs(point.time);
      const Pose X_WS = motion.at(stamp).X_WB * config.X_BS;
      ASSERT_LT((X_WS * point.p_S.cast<double>() - point.p_W.cast<double>()).norm(), 1e-3);
      const Eigen::Vector3d frozen = scan.X_WS * point.p_S.cast<double>();
      largest_undistorted = std::max(largest_undistorted, std::abs(plane->distance(frozen)));
    }
    EXPECT_GT(largest_undistorted, 0.2) << "the motion must matter for this test to mean anything";
  }
}

TEST(Lidar, BeamsThatBeginOffTheOriginMeetWhatIsThere) {
  LidarConfig config = spinner();
  config.X_BS = {fromRollPitchYaw(0.1, 0.2, -0.4), {0.1, -0.05, 0.12}};
  auto& pattern = std::get<SpinningPatternConfig>(config.pattern);
  pattern.lens_radius = 0.3;
  for (auto& channel : pattern.channels) channel.offset = -0.2 * channel.elevation;
  const auto plane = std::make_shared<PlaneRenderer>(Eigen::Vector3d(0.1, -0.05, 1.0), 0.0);
  const Motion motion;
  const StateHistory history = motion.history(0, 200'000'000);
  for (const int rays : {1, 9}) {
    config.beam.rays = rays;
    config.beam.divergence_horizontal = config.beam.divergence_vertical = 1e-4;
    config.beam.pulse_length = 5e-9;
    const Scan scan = Lidar(config, plane).scan(0, 100'000'000, history);
    ASSERT_GT(scan.points.size(), 5'000U);
    for (const ScanPoint& point : scan.points) {
      if (point.range > 10.0F) continue;  // where nine rays see it obliquely
      ASSERT_LT(std::abs(plane->distance(point.p_W.cast<double>())), 1e-3);
      const Pose X_WS = motion.at(scan.stamp + toNs(point.time)).X_WB * config.X_BS;
      ASSERT_LT((X_WS * point.p_S.cast<double>() - point.p_W.cast<double>()).norm(), 1e-3);
      ASSERT_GT(std::abs(point.p_S.norm() - point.range), 0.02F) << "the range is the beam's own";
    }
  }
}

TEST(Lidar, StampIsTheFirstFiringAndTimesRise) {
  Lidar lidar(spinner(), std::make_shared<PlaneRenderer>(Eigen::Vector3d::UnitZ(), 0.0));
  const StateHistory history = Motion().history(0, 300'000'000);
  const TimeNs begin = 100'000'123;
  const Scan scan = lidar.scan(begin, begin + 100'000'000, history);
  EXPECT_GE(scan.stamp, begin);
  EXPECT_LT(scan.stamp, begin + 40'000);
  EXPECT_EQ(scan.end, begin + 100'000'000);
  float last = 0.0F;
  for (const ScanPoint& point : scan.points) {
    ASSERT_GE(point.time, last);
    last = point.time;
    ASSERT_LT(scan.stamp + toNs(point.time), scan.end + 10);
    ASSERT_EQ(point.surfel, 7U);
    ASSERT_LT(point.ring, 16);
  }
  EXPECT_GT(last, 0.09F);
}

TEST(Lidar, NearerThanTheMinimumIsNoPointAndCounted) {
  LidarConfig config = spinner();
  config.range_min = 4.0;
  config.range_max = 8.0;
  Lidar lidar(config, std::make_shared<PlaneRenderer>(Eigen::Vector3d::UnitZ(), 0.0));
  // 1 m above the floor a channel at elevation -e sees it at 1 / sin e: -15 degrees at 3.86 m,
  // -13 at 4.45 m, -11 at 5.24 m, -9 at 6.39 m, -7 at 8.2 m.
  const Scan scan =
      lidar.scan(0, 100'000'000, resting({Eigen::Quaterniond::Identity(), {0.0, 0.0, 1.0}}));
  EXPECT_NEAR(static_cast<double>(scan.rays), 28'934.4, 16.0);
  EXPECT_NEAR(static_cast<double>(scan.too_near), 1'808.4, 1.0);
  EXPECT_NEAR(static_cast<double>(scan.points.size()), 3.0 * 1'808.4, 3.0);
  for (const ScanPoint& point : scan.points) {
    EXPECT_GE(point.range, 4.0F);
    EXPECT_LE(point.range, 8.0F);
    EXPECT_NEAR(point.p_W.z(), 0.0F, 1e-5F);
    EXPECT_NEAR(point.p_S.z(), -1.0F, 1e-5F);
  }
}

TEST(Lidar, FieldOfViewIsCutInTheSensorFrame) {
  LidarConfig config = spinner();
  const auto plane = std::make_shared<PlaneRenderer>(Eigen::Vector3d::UnitZ(), 0.0);
  const StateHistory history = resting({fromRollPitchYaw(0.0, 0.3, 1.0), {0.0, 0.0, 1.0}});
  const auto count = [&](double azimuth_min, double azimuth_max) {
    config.azimuth_min = azimuth_min;
    config.azimuth_max = azimuth_max;
    Lidar lidar(config, plane);
    const Scan scan = lidar.scan(0, 100'000'000, history);
    for (const ScanPoint& point : scan.points) {
      const double azimuth = std::atan2(point.p_S.y(), point.p_S.x());
      const double middle = 0.5 * (azimuth_min + azimuth_max);
      EXPECT_LE(std::abs(std::remainder(azimuth - middle, 2.0 * kPi)),
                0.5 * (azimuth_max - azimuth_min) + 1e-5);
      EXPECT_GE(std::asin(point.p_S.z() / point.range), config.elevation_min - 1e-5);
      EXPECT_LE(std::asin(point.p_S.z() / point.range), config.elevation_max + 1e-5);
    }
    return static_cast<double>(scan.rays) / 28'934.4;
  };
  EXPECT_NEAR(count(-kPi, kPi), 1.0, 0.001);
  EXPECT_NEAR(count(radians(-35.0), radians(35.0)), 70.0 / 360.0, 0.001);
  EXPECT_NEAR(count(radians(-120.0), radians(120.0)), 240.0 / 360.0, 0.001);
  EXPECT_NEAR(count(radians(90.0), radians(270.0)), 0.5, 0.001);
  config.elevation_min = radians(-15.0);  // its channels of -15 and -13 only, edge included
  config.elevation_max = radians(-12.0);
  EXPECT_NEAR(count(-kPi, kPi), 2.0 / 16.0, 0.001);
}

TEST(Lidar, IntervalWithoutAShotIsAnEmptyScan) {
  Lidar lidar(spinner(), std::make_shared<PlaneRenderer>(Eigen::Vector3d::UnitZ(), 0.0));
  const StateHistory history = resting({});
  const Scan scan = lidar.scan(50'000, 50'001, history);
  EXPECT_EQ(scan.rays, 0U);
  EXPECT_TRUE(scan.points.empty());
  EXPECT_EQ(scan.stamp, 50'000);
}

TEST(Lidar, ScansForAPeriodAtRest) {
  LidarConfig config = spinner();
  config.rate = 20.0;
  config.noise.range_sigma = 0.02;
  const auto plane = std::make_shared<PlaneRenderer>(Eigen::Vector3d::UnitZ(), 0.0);
  const Pose X_WB{fromRollPitchYaw(0.1, 0.3, 1.0), {0.0, 0.0, 1.0}};
  for (const TimeNs begin : {TimeNs{0}, TimeNs{330'000'000}}) {
    const Scan scan = Lidar(config, plane).scan(X_WB, begin);
    const Scan along = Lidar(config, plane).scan(begin, begin + 50'000'000, resting(X_WB));
    EXPECT_EQ(scan.end, begin + 50'000'000);
    ASSERT_GT(scan.points.size(), 1'000U);
    ASSERT_EQ(scan.points.size(), along.points.size());
    for (std::size_t i = 0; i < scan.points.size(); ++i) {
      ASSERT_EQ(scan.points[i].p_W, along.points[i].p_W);
    }
  }
}

TEST(Lidar, RefusesAMotionThatDoesNotCoverTheScan) {
  Lidar lidar(spinner(), std::make_shared<PlaneRenderer>(Eigen::Vector3d::UnitZ(), 0.0));
  EXPECT_THROW(lidar.scan(0, 100'000'000, StateHistory()), Error);
  EXPECT_THROW(lidar.scan(950'000'000, 1'050'000'000, resting({})), Error);
}

TEST(Lidar, NeedsARenderer) { EXPECT_THROW(Lidar(spinner(), nullptr), Error); }

TEST(LidarConfig, RefusesValuesOutOfBounds) {
  const auto complaint = [](auto change) -> std::string {
    LidarConfig config = spinner();
    change(config);
    try {
      config.validate("x.yaml");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "valid";
  };
  EXPECT_EQ(complaint([](LidarConfig&) {}), "valid");
  EXPECT_EQ(complaint([](LidarConfig& c) { c.range_max = 0.2; }),
            "x.yaml: range.max is 0.2 m, allowed: more than range.min, 0.5 m");
  EXPECT_NE(complaint([](LidarConfig& c) { c.range_min = -1.0; }).find("range.min is -1"),
            std::string::npos);
  EXPECT_NE(complaint([](LidarConfig& c) { c.rate = 0.0; }).find("rate is 0"), std::string::npos);
  EXPECT_NE(complaint([](LidarConfig& c) { c.rate = NAN; }).find("rate is nan"), std::string::npos);
  EXPECT_NE(complaint([](LidarConfig& c) { c.azimuth_max = -4.0; }).find("field_of_view.azimuth"),
            std::string::npos);
  EXPECT_NE(complaint([](LidarConfig& c) {
              c.elevation_max = 3.0;
            }).find("field_of_view.elevation[1] is 3"),
            std::string::npos);
  EXPECT_NE(
      complaint([](LidarConfig& c) { c.intensity.constant = 300.0; }).find("intensity is 300"),
      std::string::npos);
  EXPECT_NE(complaint([](LidarConfig& c) { c.X_BS.p.x() = NAN; }).find("mounting"),
            std::string::npos);
}

}  // namespace
}  // namespace marsim::lidar
