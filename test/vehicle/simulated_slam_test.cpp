// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/simulated_slam.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::vehicle {
namespace {

using Eigen::Vector3d;

constexpr TimeNs kState = 2'000'000;  // [ns]
const Pose kTruth{fromRollPitchYaw(0.1, -0.2, 2.0), Vector3d(4.0, -2.0, 1.5)};

SlamConfig withoutNoise() {
  SlamConfig config;
  config.position_noise = config.attitude_noise = 0.0;
  return config;
}

// Estimates of a vehicle at rest, whose states come at 500 Hz.
std::vector<StampedPose> estimates(const SlamConfig& config, double seconds,
                                   std::uint64_t seed = 1) {
  SimulatedSlam slam(config, seed);
  std::vector<StampedPose> all;
  for (TimeNs stamp = 0; stamp < toNs(seconds); stamp += kState) {
    if (const auto estimate = slam.at(stamp, kTruth)) all.push_back(*estimate);
  }
  return all;
}

TEST(SimulatedSlam, EstimatesAtTheFirstStateOfEachPeriod) {
  for (const double rate : {10.0, 25.0, 30.0}) {
    SlamConfig config;
    config.rate = rate;
    const std::vector<StampedPose> all = estimates(config, 10.0);
    ASSERT_EQ(all.size(), static_cast<std::size_t>(10.0 * rate));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double ahead = toSeconds(all[i].stamp) - static_cast<double>(i) / rate;
      EXPECT_GE(ahead, -1e-6) << rate;
      EXPECT_LT(ahead, toSeconds(kState)) << rate;
    }
  }
}

// Standard deviations of 6,000 deviates are known to 1 %.
TEST(SimulatedSlam, NoiseHasTheGivenDeviation) {
  SlamConfig config;
  config.rate = 100.0;
  config.position_noise = 0.02;
  config.attitude_noise = 0.004;
  const std::vector<StampedPose> all = estimates(config, 60.0);
  Vector3d mean = Vector3d::Zero(), squares = Vector3d::Zero(), turns = Vector3d::Zero();
  for (const StampedPose& estimate : all) {
    const Vector3d error = estimate.X_WB.p - kTruth.p;
    const Eigen::AngleAxisd turn(kTruth.q.conjugate() * estimate.X_WB.q);
    mean += error;
    squares += error.cwiseAbs2();
    turns += (turn.angle() * turn.axis()).cwiseAbs2();
  }
  const auto count = static_cast<double>(all.size());
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(mean[axis] / count, 0.0, 0.001);
    EXPECT_NEAR(std::sqrt(squares[axis] / count), 0.02, 0.0008);
    EXPECT_NEAR(std::sqrt(turns[axis] / count), 0.004, 0.00016);
  }
}

TEST(SimulatedSlam, ASeedGivesTheSamePoses) {
  const auto one = estimates({}, 5.0, 7), same = estimates({}, 5.0, 7), other = estimates({}, 5.0);
  ASSERT_EQ(one.size(), 50U);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].X_WB.p, same[i].X_WB.p);
    EXPECT_EQ(one[i].X_WB.q.coeffs(), same[i].X_WB.q.coeffs());
    EXPECT_NE(one[i].X_WB.p, other[i].X_WB.p);
  }
}

TEST(SimulatedSlam, DriftsJumpsAndLosesItself) {
  SlamConfig config = withoutNoise();
  config.drift = 0.1;
  config.lost_at = 1.0;
  config.back_at = 2.0;
  config.jump_at = 3.0;
  config.jump = -0.5;
  const std::vector<StampedPose> all = estimates(config, 4.0);
  ASSERT_EQ(all.size(), 30U);
  for (const StampedPose& estimate : all) {
    const double t = toSeconds(estimate.stamp);
    EXPECT_TRUE(t < 1.0 || t >= 2.0) << t;
    const Vector3d error = estimate.X_WB.p - kTruth.p;
    EXPECT_NEAR(error.x(), 0.1 * t - (t >= 3.0 ? 0.5 : 0.0), 1e-12);
    EXPECT_EQ(error.tail<2>().norm(), 0.0);
  }
  config.back_at.reset();
  EXPECT_EQ(estimates(config, 4.0).size(), 10U) << "it stays lost";
}

TEST(SimulatedSlam, TimeMayBeSetBack) {
  SimulatedSlam slam(withoutNoise(), 1);
  EXPECT_TRUE(slam.at(0, kTruth));
  EXPECT_TRUE(slam.at(5 * kNsPerSecond, kTruth));
  EXPECT_FALSE(slam.at(5 * kNsPerSecond, kTruth));
  EXPECT_TRUE(slam.at(kNsPerSecond, kTruth));
}

TEST(SimulatedSlam, BadSettingsAreNamed) {
  const auto complaint = [](auto SlamConfig::*member, double value) -> std::string {
    SlamConfig config;
    config.*member = value;
    try {
      SimulatedSlam(config, 1);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint(&SlamConfig::rate, 0.0), "estimate: rate is 0, allowed: 0.1 to 1000 Hz");
  EXPECT_EQ(complaint(&SlamConfig::position_noise, -0.1),
            "estimate: position_noise is -0.1, allowed: 0 or more m");
  EXPECT_EQ(complaint(&SlamConfig::attitude_noise, std::numeric_limits<double>::infinity()),
            "estimate: attitude_noise is inf, allowed: 0 or more rad");
  EXPECT_EQ(complaint(&SlamConfig::delay, 1.5), "estimate: delay is 1.5, allowed: 0 to 1 s");
  EXPECT_EQ(complaint(&SlamConfig::back_at, 2.0),
            "estimate: back_at is 2 s, allowed: a time after lost_at");
}

}  // namespace
}  // namespace marsim::vehicle
