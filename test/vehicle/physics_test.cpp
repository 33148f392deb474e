// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/vehicle/quadrotor.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::vehicle {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

constexpr TimeNs kStep = 1'000'000;

void advance(Quadrotor& quadrotor, double seconds) {
  const TimeNs end = quadrotor.state().stamp + toNs(seconds);
  while (quadrotor.state().stamp < end) quadrotor.step(kStep);
}

Quadrotor withStoppedRotors(VehicleConfig config) {
  config.motor.speed_min = 0.0;
  Quadrotor quadrotor(config);
  quadrotor.stopMotors();
  advance(quadrotor, 3.0);
  return quadrotor;
}

// Galileo: in a wind it moves through the air as it does through air at rest.
TEST(Drag, ActsOnTheVelocityThroughTheAir) {
  VehicleConfig config = racer();
  config.rotor_drag_coefficient = 1e-4;
  config.parasitic_drag = {0.02, 0.03, 0.04};
  const Vector3d wind(5.0, -3.0, 1.0), v(2.0, 1.0, -0.5), w(0.5, 0.2, 0.1);
  Quadrotor still(config), blown(config);
  blown.setWind(wind);
  const Quaterniond q = fromRollPitchYaw(0.1, 0.2, 0.3);
  still.setMotion(q, v, w);
  blown.setMotion(q, v + wind, w);
  advance(still, 2.0);
  advance(blown, 2.0);
  EXPECT_LT((blown.state().X_WB.p - still.state().X_WB.p - 2.0 * wind).norm(), 1e-9);
  EXPECT_LT((blown.state().v_WB - still.state().v_WB - wind).norm(), 1e-9);
  EXPECT_GT((still.state().v_WB - v).norm(), 0.1);
}

// Falling level with quadratic drag only: v = -v_t tanh(g t / v_t), v_t = sqrt(m g / c).
TEST(Drag, ParasiticDragLimitsAFallAsInClosedForm) {
  VehicleConfig config = racer();
  config.linear_drag.setZero();
  config.parasitic_drag = {0.01, 0.02, 0.05};
  Quadrotor quadrotor = withStoppedRotors(config);
  quadrotor.setMotion(Quaterniond::Identity(), Vector3d::Zero(), Vector3d::Zero());
  const double terminal = std::sqrt(config.mass * kGravity / config.parasitic_drag.z());
  advance(quadrotor, 1.0);
  EXPECT_NEAR(quadrotor.state().v_WB.z(), -terminal * std::tanh(kGravity / terminal), 1e-7);
  advance(quadrotor, 20.0);
  EXPECT_NEAR(quadrotor.state().v_WB.z(), -terminal, 1e-7);
}

TEST(GroundEffect, IsThatOfCheesemanAndBennettAndEndsAtFiveRadii) {
  VehicleConfig config = hummingbird();
  config.rotor_radius = 0.1;
  config.ground_effect = true;
  const auto gainAt = [&](double height) {
    Quadrotor quadrotor(config);
    quadrotor.setGround(2.0);
    quadrotor.reset({0.0, 0.0, 50.0}, 0.0);
    KinematicState state = quadrotor.state();
    state.X_WB.p.z() = 2.0 + height;
    quadrotor.follow(state);
    quadrotor.setMotion(Quaterniond::Identity(), Vector3d::Zero(), Vector3d::Zero());
    return quadrotor.state().a_WB.z() / kGravity;
  };
  EXPECT_NEAR(gainAt(0.1), 1.0 / (1.0 - 1.0 / 16.0) - 1.0, 1e-9);
  EXPECT_NEAR(gainAt(0.2), 1.0 / (1.0 - 1.0 / 64.0) - 1.0, 1e-9);
  EXPECT_NEAR(gainAt(0.02), 1.0 / 3.0, 1e-9) << "as at half a radius";
  EXPECT_NEAR(gainAt(0.45), 0.5 * (1.0 / (1.0 - 1.0 / (18.0 * 18.0)) - 1.0), 1e-9) << "fading";
  EXPECT_NEAR(gainAt(0.5), 0.0, 1e-12);
  EXPECT_NEAR(gainAt(30.0), 0.0, 1e-12);
  config.ground_effect = false;
  EXPECT_NEAR(gainAt(0.1), 0.0, 1e-12);
}

// Thrown with stopped rotors: the two masses' common centre falls freely, and their angular
// momentum about it, added up of the vehicle's own and the two points', stays.
TEST(Payload, ThrownItTumblesAsTwoBodiesDo) {
  VehicleConfig config = hummingbird();
  config.rotor_drag_coefficient = 0.0;
  config.payload = {0.3, {0.05, -0.08, -0.1}, false};
  Quadrotor quadrotor = withStoppedRotors(config);
  quadrotor.setMotion(fromRollPitchYaw(0.3, 0.2, 0.1), {1.0, 2.0, 3.0}, {4.0, -3.0, 2.0});
  struct Bodies {
    Vector3d centre, velocity, momentum;
  };
  const auto bodies = [&] {
    const KinematicState& s = quadrotor.state();
    const Vector3d arm = s.X_WB.q * config.payload.position;
    const Vector3d w_W = s.X_WB.q * s.w_WB_B;
    const Vector3d p = s.X_WB.p + arm, v = s.v_WB + w_W.cross(arm);
    const double m = config.mass, n = config.payload.mass;
    Bodies two;
    two.centre = (m * s.X_WB.p + n * p) / (m + n);
    two.velocity = (m * s.v_WB + n * v) / (m + n);
    two.momentum = s.X_WB.q * config.inertia.cwiseProduct(s.w_WB_B) +
                   m * (s.X_WB.p - two.centre).cross(s.v_WB) + n * (p - two.centre).cross(v);
    return two;
  };
  const Bodies start = bodies();
  for (int i = 1; i <= 20; ++i) {
    advance(quadrotor, 0.1);
    const double t = 0.1 * i;
    const Vector3d fall(0.0, 0.0, -0.5 * kGravity * t * t);
    const Bodies now = bodies();
    EXPECT_LT((now.centre - start.centre - start.velocity * t - fall).norm(), 1e-8) << t;
    EXPECT_LT((now.momentum - start.momentum).norm(), 1e-8) << t;
  }
}

TEST(Payload, IsCarriedInHoverAndKnownOnlyWhereSaid) {
  VehicleConfig config = firefly();
  config.payload = {0.4, {0.06, 0.03, -0.1}, true};
  Quadrotor quadrotor(config);
  quadrotor.reset({0.0, 0.0, 5.0}, 0.5);
  advance(quadrotor, 5.0);
  EXPECT_LT((quadrotor.state().X_WB.p - Vector3d(0.0, 0.0, 5.0)).norm(), 1e-8);
  EXPECT_NEAR(config.asControlled().mass, 1.93, 1e-12);
  EXPECT_EQ(config.asControlled().inertia, config.totalInertia().diagonal());
  const RotorArray difference = config.asControlled().hoverSpeeds() - config.hoverSpeeds();
  EXPECT_LT(difference.abs().maxCoeff(), 1e-9);
  config.payload.known = false;
  EXPECT_EQ(config.asControlled().mass, config.mass);
  EXPECT_EQ(config.asControlled().rotors[0].position, config.rotors[0].position);
}

TEST(MotorFailure, LeavesAShareOfTheThrust) {
  const VehicleConfig config = firefly();
  Quadrotor quadrotor(config);
  quadrotor.setEffectiveness(2, 0.25);
  quadrotor.setEffectiveness(4, 0.0);
  quadrotor.command(RotorArray::Constant(6, 400.0));
  advance(quadrotor, 1.0);
  const RotorArray speeds = quadrotor.motorSpeeds();
  EXPECT_NEAR(speeds[0], 400.0, 1e-6);
  EXPECT_NEAR(speeds[2], 200.0, 1e-6);
  EXPECT_NEAR(speeds[4], 0.0, 1e-6);
  EXPECT_EQ(quadrotor.motorCommands()[4], 400.0);
  quadrotor.setEffectiveness(4, 1.0);
  advance(quadrotor, 1.0);
  EXPECT_NEAR(quadrotor.motorSpeeds()[4], 400.0, 1e-6);
}

TEST(Battery, LowersTheGreatestSpeedEvenly) {
  VehicleConfig config = hummingbird();
  config.battery = {0.8, 10.0};
  EXPECT_EQ(config.battery.shareAt(0.0), 1.0);
  EXPECT_NEAR(config.battery.shareAt(5.0), 0.9, 1e-12);
  EXPECT_NEAR(config.battery.shareAt(100.0), 0.8, 1e-12);
  Quadrotor quadrotor(config);
  quadrotor.command(RotorArray::Constant(4, 1e4));
  advance(quadrotor, 5.0);
  EXPECT_NEAR(quadrotor.motorSpeeds()[0], 0.9 * config.motor.speed_max, 1.0) << "it lags";
  advance(quadrotor, 10.0);
  EXPECT_NEAR(quadrotor.motorSpeeds()[0], 0.8 * config.motor.speed_max, 1e-6);
}

TEST(Power, OfRotorsAndAvionics) {
  VehicleConfig config = hummingbird();
  RotorArray speeds(4);
  speeds << 400.0, 500.0, 600.0, 0.0;
  const double shafts = config.torque_coefficient * (6.4e7 + 1.25e8 + 2.16e8);
  EXPECT_NEAR(config.powerAt(speeds), shafts, 1e-12);
  config.power = {0.8, 5.0};
  EXPECT_NEAR(config.powerAt(speeds), shafts / 0.8 + 5.0, 1e-12);
}

template <class Change>
std::string afterChange(const Change& change) {
  VehicleConfig config = hummingbird();
  change(config);
  try {
    config.validate("x.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(VehicleConfig, BadPhysicsAreNamed) {
  EXPECT_EQ(afterChange([](auto& c) { c.parasitic_drag.y() = -1.0; }),
            "x.yaml: parasitic_drag[1] is -1, allowed: 0 or more N/(m/s)^2");
  EXPECT_EQ(afterChange([](auto& c) { c.parasitic_drag.y() = std::nan(""); }),
            "x.yaml: parasitic_drag[1] is nan, allowed: 0 or more N/(m/s)^2");
  EXPECT_EQ(afterChange([](auto& c) { c.ground_effect = true; }),
            "x.yaml: rotor_radius is 0, allowed: more than 0 m with ground_effect");
  EXPECT_EQ(afterChange([](auto& c) { c.rotor_radius = -0.1; }),
            "x.yaml: rotor_radius is -0.1, allowed: 0 or more m");
  EXPECT_EQ(afterChange([](auto& c) { c.payload.mass = -0.1; }),
            "x.yaml: payload.mass is -0.1, allowed: 0 or more kg");
  EXPECT_EQ(afterChange([](auto& c) { c.payload.position.z() = std::nan(""); }),
            "x.yaml: payload.position[2] is nan, allowed: -10 to 10 m");
  EXPECT_EQ(afterChange([](auto& c) { c.payload.mass = 2.0; }),
            "x.yaml: mass with payload is 2.716, allowed: less than 2.449 kg: the rotors' thrust "
            "at motor.speed_max is 24.01 N");
  EXPECT_NE(afterChange([](auto& c) {
              c.payload = {0.5, {1.0, 0.0, 0.0}, false};
            }),
            "")
      << "beyond its rotors: it tips over";
  EXPECT_EQ(afterChange([](auto& c) { c.battery.sag = 0.0; }),
            "x.yaml: battery.sag is 0, allowed: 0.1 to 1");
  EXPECT_EQ(afterChange([](auto& c) { c.battery.duration = -1.0; }),
            "x.yaml: battery.duration is -1, allowed: more than 0 s");
  EXPECT_EQ(afterChange([](auto& c) { c.power.efficiency = 1.1; }),
            "x.yaml: power.efficiency is 1.1, allowed: 0.1 to 1");
}

}  // namespace
}  // namespace marsim::vehicle
