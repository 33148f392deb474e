// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/common/sensor_clock.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

constexpr TimeNs kPeriod = 50'000'000;

ClockErrors errorsOf(double offset, double drift, double jitter, double drops) {
  ClockErrors errors;
  errors.offset = offset;
  errors.drift = drift;
  errors.jitter = jitter;
  errors.drops = drops;
  return errors;
}

std::string refusal(const ClockErrors& errors, double rate = 20.0) {
  try {
    errors.validate("camera.yaml", rate);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(SensorClock, ShowsSimulatedTimeByDefault) {
  for (const TimeNs t : {TimeNs{0}, TimeNs{123'456'789}, 3600 * kNsPerSecond + 1}) {
    EXPECT_EQ(SensorClock().stampOf(t), t);
    EXPECT_EQ(SensorClock(ClockErrors(), 7, "x").stampOf(t), t);
  }
}

// 5 ms late and 20 ppm fast: after 100 s 5 ms + 2 ms.
TEST(SensorClock, OffsetAndDriftAreExact) {
  const SensorClock clock(errorsOf(0.005, 20e-6, 0.0, 0.0), 1, "x");
  EXPECT_EQ(clock.stampOf(0), 5'000'000);
  EXPECT_EQ(clock.stampOf(100 * kNsPerSecond), 100'007'000'000);
  const SensorClock early(errorsOf(-0.005, 0.0, 0.0, 0.0), 1, "x");
  EXPECT_EQ(early.stampOf(0), std::nullopt) << "no stamp below 0";
  EXPECT_EQ(early.stampOf(kPeriod), 45'000'000);
}

// A uniform distribution of +-20 ms has a standard deviation of 20 ms / sqrt(3).
TEST(SensorClock, JitterIsUniformAndStampsRise) {
  const SensorClock clock(errorsOf(0.1, 0.0, 0.02, 0.0), 1, "x");
  constexpr int kCount = 20'000;
  double sum = 0.0, squares = 0.0, least = 1.0, most = -1.0;
  TimeNs last = -1;
  for (int i = 0; i < kCount; ++i) {
    const TimeNs t = i * kPeriod, stamp = *clock.stampOf(t);
    EXPECT_GT(stamp, last);
    last = stamp;
    const double jitter = toSeconds(stamp - t) - 0.1;
    sum += jitter;
    squares += jitter * jitter;
    least = std::min(least, jitter);
    most = std::max(most, jitter);
  }
  EXPECT_NEAR(sum / kCount, 0.0, 4e-4);
  EXPECT_NEAR(std::sqrt(squares / kCount), 0.02 / std::sqrt(3.0), 2e-4);
  EXPECT_GE(least, -0.02);
  EXPECT_LT(least, -0.0199);
  EXPECT_LE(most, 0.02);
  EXPECT_GT(most, 0.0199);
}

TEST(SensorClock, LosesItsShareOfMeasurements) {
  const SensorClock clock(errorsOf(0.0, 0.0, 0.0, 0.3), 1, "x");
  int lost = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto stamp = clock.stampOf(i * kPeriod);
    EXPECT_EQ(stamp.value_or(i * kPeriod), i * kPeriod);
    lost += stamp ? 0 : 1;
  }
  EXPECT_NEAR(lost, 6000, 4 * 65);  // four standard deviations
}

TEST(SensorClock, DependsOnSeedNameAndTimeOnly) {
  const ClockErrors errors = errorsOf(0.1, 0.0, 0.02, 0.1);
  const SensorClock one(errors, 1, "a"), same(errors, 1, "a");
  std::set<std::vector<TimeNs>> all;
  const auto forwards = [](const SensorClock& clock) {
    std::vector<TimeNs> stamps;
    for (int i = 0; i < 20; ++i) stamps.push_back(clock.stampOf(i * kPeriod).value_or(-1));
    return stamps;
  };
  std::vector<TimeNs> backwards;
  for (int i = 20; i-- > 0;) backwards.push_back(same.stampOf(i * kPeriod).value_or(-1));
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(forwards(one), backwards);
  EXPECT_NE(forwards(one), forwards(SensorClock(errors, 2, "a")));
  EXPECT_NE(forwards(one), forwards(SensorClock(errors, 1, "b")));
}

TEST(SensorClock, BadValuesAreRefused) {
  EXPECT_EQ(refusal(errorsOf(1.0, 0.01, 0.025, 0.99)), "");
  EXPECT_EQ(refusal(errorsOf(0.0, 0.0, 0.0251, 0.0)),
            "camera.yaml: clock.jitter is 0.0251 s, allowed: 0 to 0.025 s, half the period");
  EXPECT_EQ(refusal(errorsOf(0.0, 0.0, 0.0, 1.0)),
            "camera.yaml: clock.drops is 1, allowed: 0 to 0.99");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal(errorsOf(nan, 0.0, 0.0, 0.0)), "");
  EXPECT_NE(refusal(errorsOf(0.0, nan, 0.0, 0.0)), "");
  EXPECT_NE(refusal(errorsOf(0.0, 0.0, nan, 0.0)), "");
  EXPECT_NE(refusal(errorsOf(0.0, 0.0, 0.0, nan)), "");
  EXPECT_NE(refusal(errorsOf(1.1, 0.0, 0.0, 0.0)), "");
  EXPECT_NE(refusal(errorsOf(0.0, -0.011, 0.0, 0.0)), "");
  EXPECT_NE(refusal(errorsOf(0.0, 0.0, -0.001, 0.0)), "");
}

}  // namespace
}  // namespace marsim
