// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/sim/world.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::sim {
namespace {

using Eigen::Vector3d;

constexpr double kNoGround = -std::numeric_limits<double>::infinity();

UavConfig configOf(const vehicle::VehicleConfig& vehicle) {
  UavConfig config;
  config.vehicle = vehicle;
  config.start_p_WB = {1.0, 2.0, 3.0};
  config.start_yaw = 0.5;
  config.vehicle.imu.gyroscope.noise_density = 1e-3;
  config.vehicle.imu.accelerometer.noise_density = 1e-2;
  config.vehicle.imu.accelerometer.random_walk = 1e-3;
  return config;
}

void run(Uav& uav, double seconds) {
  for (int i = 0; i < static_cast<int>(std::lround(seconds * 1000.0)); ++i) uav.step();
}

TEST(Uav, HoversInPlaceAfterSpawning) {
  for (const auto& vehicle : vehicle::allVehicles()) {
    Uav uav(configOf(vehicle), {}, 0.0);
    double farthest = 0.0;
    for (int i = 0; i < 10'000; ++i) {
      uav.step();
      farthest = std::max(farthest, (uav.state().X_WB.p - Vector3d(1.0, 2.0, 3.0)).norm());
    }
    EXPECT_LT(farthest, 1e-3) << vehicle.name;
    EXPECT_EQ(uav.state().stamp, 10 * kNsPerSecond);
  }
}

/// Root mean square and largest distance [m] to the reference on a way round goals.
struct Tracking {
  double rms = 0.0, worst = 0.0;
};

Tracking flyRoundGoals(const UavConfig& config) {
  const std::vector<Vector3d> goals = {{6.0, 2.0, 3.0}, {6.0, -3.0, 5.0}, {0.0, 0.0, 2.0}};
  Uav uav(config, {}, 0.0);
  Tracking tracking;
  int samples = 0;
  for (const Vector3d& goal : goals) {
    uav.setGoal(goal, 1.5);
    for (int i = 0; i < 12'000; ++i) {
      uav.step();
      EXPECT_LT(uav.state().v_WB.norm(), 1.03 * config.controller.goal.speed);
      if (i % 2 != 1) continue;  // the reference is that of the last state step
      const double error = (uav.state().X_WB.p - uav.reference().p_WB).norm();
      tracking.rms += error * error;
      ++samples;
      tracking.worst = std::max(tracking.worst, error);
    }
    EXPECT_LT((uav.state().X_WB.p - goal).norm(), 0.005);
    EXPECT_NEAR(yawOf(uav.state().X_WB.q), 1.5, 0.01);
  }
  tracking.rms = std::sqrt(tracking.rms / samples);
  return tracking;
}

TEST(Uav, FliesRoundGoalsOnItsReference) {
  for (const auto& vehicle : vehicle::allVehicles()) {
    for (const int latency : {0, 1, 5}) {
      SCOPED_TRACE(vehicle.name + ", latency " + std::to_string(latency));
      UavConfig config = configOf(vehicle);
      config.vehicle.control_latency = latency;
      const Tracking tracking = flyRoundGoals(config);
      RecordProperty(vehicle.name + "_latency_" + std::to_string(latency) + "_rms_error_mm",
                     std::to_string(1000.0 * tracking.rms));
      EXPECT_LT(tracking.rms, 0.01);
      EXPECT_LT(tracking.worst, 0.04);
    }
  }
}

// Motor speeds act whole states after the one they are computed from.
TEST(Vehicle, MotorSpeedsActAfterTheControlLatency) {
  for (const int latency : {0, 1, 3}) {
    VehicleSetup setup;
    setup.vehicle = vehicle::hummingbird();
    setup.vehicle.control_latency = latency;
    Vehicle craft(setup, kNoGround, nullptr, 0);
    craft.place({0.0, 0.0, 5.0}, 0.0, 10'000'000);
    craft.step();
    craft.step();
    const TimeNs computed_from = craft.state().stamp;
    const vehicle::RotorArray before = craft.platform().motorCommands();
    const vehicle::RotorArray speeds = 1.1 * before;
    EXPECT_FALSE(craft.command({speeds, computed_from + 1, 0})) << "of a time to come";
    EXPECT_FALSE(craft.command({speeds, 10'000'000, 0})) << "perhaps from before it was placed";
    EXPECT_FALSE(craft.command({speeds, computed_from, 2})) << "of a vehicle elsewhere";
    EXPECT_TRUE(craft.command({speeds, computed_from, latency == 0 ? 0U : 1U}));
    for (int i = 0; i < 10; ++i) {
      const TimeNs begins = craft.state().stamp;
      craft.step();
      const bool acts = begins >= computed_from + latency * 2'000'000;
      EXPECT_TRUE((craft.platform().motorCommands() == (acts ? speeds : before)).all())
          << "latency " << latency << ", step " << i;
    }
    craft.place({0.0, 0.0, 5.0}, 0.0, craft.state().stamp);
    for (int i = 0; i < 10; ++i) craft.step();
    EXPECT_TRUE((craft.platform().motorCommands() == before).all()) << "those are void";
  }
}

// Planners send full states at rates of their own: a circle of radius 2 m at 2 m/s, 50 Hz.
TEST(Uav, FollowsAStreamOfReferences) {
  for (const auto& vehicle : vehicle::allVehicles()) {
    Uav uav(configOf(vehicle), {}, 0.0);
    const double radius = 2.0, rate = 1.0;
    const auto circle = [&](TimeNs stamp) {
      const double t = rate * toSeconds(stamp);
      const Vector3d out(std::cos(t), std::sin(t), 0.0), along(-std::sin(t), std::cos(t), 0.0);
      control::Reference reference;
      reference.p_WB = Vector3d(0.0, 0.0, 3.0) + radius * out;
      reference.v_WB = radius * rate * along;
      reference.a_WB = -radius * rate * rate * out;
      reference.yaw = wrapAngle(t);
      reference.yaw_rate = rate;
      return reference;
    };
    double worst = 0.0;
    for (int i = 0; i < 15'000; ++i) {
      if (i % 20 == 0) uav.setReference(circle(uav.state().stamp));
      uav.step();
      if (i > 5000) {
        const Vector3d p = circle(uav.state().stamp).p_WB;
        worst = std::max(worst, (uav.state().X_WB.p - p).norm());
      }
    }
    EXPECT_LT(worst, 0.08) << vehicle.name;
    const Vector3d p = uav.state().X_WB.p;
    run(uav, 10.0);  // the stream has stopped
    EXPECT_LT(uav.state().v_WB.norm(), 1e-3);
    EXPECT_LT((uav.state().X_WB.p - p).norm(), 1.0);
  }
}

TEST(Uav, RestsOnTheGroundUntilItIsToldToFlyAndLands) {
  for (const auto& vehicle : vehicle::allVehicles()) {
    UavConfig config = configOf(vehicle);
    config.start_p_WB.z() = -1.0 + vehicle.ground_clearance;
    Uav uav(config, {}, -1.0);
    run(uav, 2.0);
    EXPECT_TRUE(uav.platform().onGround());
    EXPECT_EQ(uav.platform().motorSpeeds().maxCoeff(), 0.0);
    EXPECT_EQ(uav.state().X_WB.p, config.start_p_WB);
    const Vector3d up = config.start_p_WB + Vector3d(0.0, 0.0, 2.0);
    uav.setGoal(up, 0.5);
    double highest = -1.0;
    for (int i = 0; i < 15'000; ++i) {
      uav.step();
      highest = std::max(highest, uav.state().X_WB.p.z());
    }
    EXPECT_LT((uav.state().X_WB.p - up).norm(), 0.02) << vehicle.name;
    EXPECT_LT(highest, up.z() + 0.1) << vehicle.name;
    uav.setGoal(config.start_p_WB - Vector3d(0.0, 0.0, 0.2), 0.5);
    run(uav, 10.0);
    EXPECT_TRUE(uav.platform().onGround()) << vehicle.name;
    EXPECT_NEAR((uav.state().X_WB.p - config.start_p_WB).norm(), 0.0, 0.02) << vehicle.name;
    uav.setGoal(up, 0.5);
    run(uav, 15.0);
    EXPECT_LT((uav.state().X_WB.p - up).norm(), 0.05) << vehicle.name;
  }
}

// Everything an outside observer can see of a flight, as bytes.
struct Record {
  std::vector<double> values;

  void add(const KinematicState& state) {
    const auto* q = state.X_WB.q.coeffs().data();
    values.insert(values.end(), q, q + 4);
    for (const Vector3d& v : {state.X_WB.p, state.v_WB, state.a_WB, state.w_WB_B, state.dw_WB_B}) {
      values.insert(values.end(), v.data(), v.data() + 3);
    }
  }
  void add(const vehicle::ImuSample& sample) {
    values.push_back(toSeconds(sample.stamp));
    for (const Vector3d& v : {sample.angular_velocity, sample.specific_force}) {
      values.insert(values.end(), v.data(), v.data() + 3);
    }
  }
};

Record fly(std::uint64_t seed) {
  UavConfig config = configOf(vehicle::racer());
  config.seed = seed;
  Uav uav(config, {}, 0.0);
  Record record;
  uav.on_imu = [&](const vehicle::ImuSample& sample) { record.add(sample); };
  uav.setGoal({8.0, -3.0, 4.0}, -2.0);
  for (int i = 0; i < 5000; ++i) {
    uav.step();
    record.add(uav.state());
  }
  return record;
}

TEST(Uav, RepeatsByteForByte) {
  const Record a = fly(1), b = fly(1), c = fly(2);
  EXPECT_EQ(a.values.size(), 5000U * 19U + 1000U * 7U);
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_EQ(std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)), 0);
  EXPECT_NE(a.values, c.values) << "another seed, another noise";
}

TEST(Uav, SamplesTheImuAtItsOwnRate) {
  UavConfig config = configOf(vehicle::racer());
  config.vehicle.imu.rate = 250.0;
  Uav uav(config, {}, kNoGround);
  std::vector<TimeNs> stamps;
  uav.on_imu = [&](const vehicle::ImuSample& sample) { stamps.push_back(sample.stamp); };
  run(uav, 1.0);
  ASSERT_EQ(stamps.size(), 250U);
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    EXPECT_EQ(stamps[i], 4'000'000 * static_cast<TimeNs>(i + 1));
  }
}

template <class Action>
std::string messageOf(const Action& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(RateConfig, RatesDivideTheDynamicsRate) {
  const auto of = [](double dynamics, double state, double odometry) {
    return messageOf([&] { RateConfig{dynamics, state, odometry}.validate("sim.yaml"); });
  };
  EXPECT_EQ(of(1000.0, 500.0, 200.0), "");
  EXPECT_EQ(of(1000.0, 300.0, 200.0),
            "sim.yaml: state is 300, allowed: the dynamics rate (1000 Hz) divided by a whole "
            "number");
  EXPECT_EQ(of(1000.0, 500.0, 2000.0),
            "sim.yaml: odometry is 2000, allowed: the dynamics rate (1000 Hz) divided by a whole "
            "number");
  EXPECT_EQ(of(300.0, 100.0, 100.0),
            "sim.yaml: dynamics is 300, allowed: 1,000,000 Hz divided by a whole number");
  EXPECT_EQ(of(0.0, 100.0, 100.0), "sim.yaml: dynamics is 0, allowed: 10 to 1000000 Hz");
  EXPECT_EQ(of(1000.0, -1.0, 100.0), "sim.yaml: state is -1, allowed: more than 0 Hz");
}

TEST(Uav, RefusesRatesThatDoNotFitTogether) {
  UavConfig config = configOf(vehicle::hummingbird());
  config.vehicle.imu.rate = 333.0;
  EXPECT_EQ(messageOf([&] { Uav(config, {}, 0.0); }),
            "imu: rate is 333, allowed: the dynamics rate (1000 Hz) divided by a whole number");
  config.vehicle.imu.rate = 50.0;
  config.rates = {50.0, 50.0, 50.0};
  EXPECT_EQ(messageOf([&] { Uav(config, {}, 0.0); }),
            "rates: dynamics is 50, allowed: 64 Hz or more for motors as fast as 160 rad/s");
}

}  // namespace
}  // namespace marsim::sim
