// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/wind.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"

namespace marsim::vehicle {
namespace {

using Eigen::Vector3d;

constexpr double kFoot = 0.3048;  // [m]

KinematicState hovering(double height) {
  KinematicState state;
  state.X_WB.p.z() = height;
  return state;
}

// By the printed formulas at two heights at which they are easy: at 1000 ft the base is 1.
TEST(GustScales, AreThoseOfTheStandard) {
  const GustScales high = gustScales(1000.0 * kFoot, 20.0);
  EXPECT_LT((high.length - 1000.0 * kFoot * Vector3d::Ones()).norm(), 1e-9);
  EXPECT_LT((high.sigma - 2.0 * Vector3d::Ones()).norm(), 1e-12);
  const GustScales low = gustScales(20.0 * kFoot, 20.0);
  EXPECT_NEAR(low.length.z(), 20.0 * kFoot, 1e-9);
  EXPECT_NEAR(low.length.x() / kFoot, 20.0 / std::pow(0.19346, 1.2), 1e-6);
  EXPECT_NEAR(low.sigma.x(), 2.0 / std::pow(0.19346, 0.4), 1e-9);
  EXPECT_EQ(gustScales(0.0, 20.0).length, gustScales(10.0 * kFoot, 20.0).length);
  EXPECT_EQ(gustScales(std::numeric_limits<double>::infinity(), 20.0).length, high.length);
}

TEST(Wind, WithoutGustsIsTheMean) {
  const Vector3d mean(3.0, -4.0, 0.5);
  Wind wind({mean, 0.0}, 1, 0.0);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(wind.advance(1'000'000, hovering(5.0)), mean);
}

// Variance 1 and the closed forms of the correlation, exp(-t/T) along the wind and
// (1 - t/2T) exp(-t/T) across, over many independent stretches of air.
TEST(Wind, GustsCorrelateAsDrydenSays) {
  const Vector3d mean(0.0, 10.0, 0.0);  // along y: the gusts along it are W's y
  const GustScales scales = gustScales(10.0, 15.0);
  const Eigen::Vector3d lags = scales.length / mean.norm();  // T [s]
  const TimeNs step = 20'000'000;
  constexpr int kSteps = 400, kRuns = 4000;
  Vector3d first = Vector3d::Zero(), at_end = first;
  std::vector<Vector3d> products(kSteps, Vector3d::Zero());
  for (int run = 0; run < kRuns; ++run) {
    Wind wind({mean, 15.0}, static_cast<std::uint64_t>(run), 0.0);
    Vector3d start, gust;
    for (int i = 0; i < kSteps; ++i) {
      const Vector3d air = wind.advance(step, hovering(10.0)) - mean;
      gust = Vector3d(air.y(), air.x(), air.z()).cwiseQuotient(scales.sigma);
      if (i == 0) start = gust;
      products[static_cast<std::size_t>(i)] += gust.cwiseProduct(start) / kRuns;
    }
    first += start.cwiseAbs2() / kRuns;
    at_end += gust.cwiseAbs2() / kRuns;
  }
  constexpr double kError = 5.0 * 1.5 / 63.0;  // five standard deviations of 4000 products
  EXPECT_LT((first - Vector3d::Ones()).cwiseAbs().maxCoeff(), kError) << "from the first sample";
  EXPECT_LT((at_end - Vector3d::Ones()).cwiseAbs().maxCoeff(), kError);
  for (std::size_t i = 0; i < products.size(); i += 10) {
    const Vector3d t = 0.02 * static_cast<double>(i) * lags.cwiseInverse();
    const Vector3d decay = (-t.array()).exp();
    EXPECT_NEAR(products[i].x(), decay.x(), kError) << i;
    EXPECT_NEAR(products[i].y(), (1.0 - 0.5 * t.y()) * decay.y(), kError) << i;
    EXPECT_NEAR(products[i].z(), (1.0 - 0.5 * t.z()) * decay.z(), kError) << i;
  }
}

// One long flight: sample variance within five standard deviations of the mean over N independent
// stretches of about 2 T.
TEST(Wind, VarianceHoldsOverALongFlight) {
  for (const TimeNs step : {1'000'000, 50'000'000}) {
    Wind wind({{20.0, 0.0, 0.0}, 30.0}, 7, 0.0);
    const GustScales scales = gustScales(3.0, 30.0);
    const int steps = static_cast<int>(2'000 * kNsPerSecond / step);
    Vector3d sum = Vector3d::Zero();
    for (int i = 0; i < steps; ++i) {
      const Vector3d gust = wind.advance(step, hovering(3.0)) - Vector3d(20.0, 0.0, 0.0);
      sum += gust.cwiseAbs2().cwiseQuotient(scales.sigma.cwiseAbs2()) / steps;
    }
    EXPECT_LT((sum - Vector3d::Ones()).cwiseAbs().maxCoeff(), 0.15) << step;
  }
}

// Steps of any length give the same law: two half steps correlate as one whole step.
TEST(Wind, IsTheSameForTheSameSeedAndAnotherForAnother) {
  Wind one({{5.0, 0.0, 0.0}, 10.0}, 3, 0.0), same({{5.0, 0.0, 0.0}, 10.0}, 3, 0.0),
      other({{5.0, 0.0, 0.0}, 10.0}, 4, 0.0);
  for (int i = 0; i < 100; ++i) {
    const Vector3d air = one.advance(1'000'000, hovering(2.0));
    EXPECT_EQ(air, same.advance(1'000'000, hovering(2.0)));
    EXPECT_NE(air, other.advance(1'000'000, hovering(2.0)));
  }
}

// Without a mean wind a hovering vehicle meets the gusts at the least airspeed, not never.
TEST(Wind, GustsPassAHoveringVehicleWithoutAMeanWind) {
  Wind wind({Vector3d::Zero(), 15.0}, 1, 0.0);
  const Vector3d before = wind.advance(1'000'000, hovering(3.0));
  Vector3d after;
  for (int i = 0; i < 60; ++i) after = wind.advance(kNsPerSecond, hovering(3.0));
  EXPECT_GT((after - before).norm(), 0.1);
}

std::string messageOf(const WindConfig& config) {
  try {
    config.validate("x");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Wind, BadSettingsAreNamed) {
  EXPECT_EQ(messageOf({{std::nan(""), 0.0, 0.0}, 0.0}),
            "x: wind[0] is nan, allowed: a finite number m/s");
  EXPECT_EQ(messageOf({{80.0, 80.0, 0.0}, 0.0}),
            "x: wind is of 113.137 m/s, allowed: up to 100 m/s");
  EXPECT_EQ(messageOf({Vector3d::Zero(), -1.0}), "x: gusts is -1, allowed: 0 to 100 m/s");
  EXPECT_EQ(messageOf({Vector3d::Zero(), std::nan("")}), "x: gusts is nan, allowed: 0 to 100 m/s");
}

}  // namespace
}  // namespace marsim::vehicle
