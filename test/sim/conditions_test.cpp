// SPDX-License-Identifier: BSD-3-Clause
// Flights in wind, with motors that fail and under payloads.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/sim/world.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::sim {
namespace {

using Eigen::Vector3d;

constexpr double kNoGround = -std::numeric_limits<double>::infinity();

UavConfig hummingbirdAt(double height) {
  UavConfig config;
  config.vehicle = vehicle::hummingbird();
  config.start_p_WB = {0.0, 0.0, height};
  return config;
}

void fly(Uav& uav, double seconds) {
  for (int i = 0; i < static_cast<int>(1000.0 * seconds); ++i) uav.step();
}

// The controller makes up for the drag in still air; its integral takes up the wind's.
TEST(Wind, AHoveringVehicleLeansAgainstItAsDragAndWeightSay) {
  for (const auto& vehicle : {vehicle::hummingbird(), vehicle::iris()}) {
    UavConfig config = hummingbirdAt(10.0);
    config.vehicle = vehicle;
    config.wind.mean_W = {0.0, 8.0, 0.0};
    Uav uav(config, {}, kNoGround);
    uav.setGoal(config.start_p_WB, 0.0);
    fly(uav, 60.0);
    const double drag = uav.platform().motorSpeeds().sum() * vehicle.rotor_drag_coefficient;
    const double lean = std::atan(drag * 8.0 / (vehicle.mass * kGravity));
    const Vector3d up = uav.state().X_WB.q * Vector3d::UnitZ();
    EXPECT_NEAR(std::atan2(-up.y(), up.z()), lean, 0.05 * lean) << vehicle.name;
    EXPECT_NEAR(up.x(), 0.0, 1e-3) << vehicle.name;
    // An Iris is pushed harder than the integral (2 m/s^2) takes up.
    EXPECT_LT((uav.state().X_WB.p - config.start_p_WB).norm(), 0.2) << vehicle.name;
  }
}

// On a slow start the controller answers seconds after the first state.
TEST(Wind, AVehicleStaysWhereItWasPlacedUntilItsControllerAnswers) {
  const UavConfig config = hummingbirdAt(10.0);
  VehicleSetup setup{config.vehicle, {}, {}, 1};
  setup.wind.mean_W = {0.0, 8.0, 0.0};
  Vehicle vehicle(setup, kNoGround, nullptr, 0);
  vehicle.place({1.0, 2.0, 10.0}, 0.5, 0);
  for (int i = 0; i < 3000; ++i) vehicle.step();
  EXPECT_EQ(vehicle.state().X_WB.p, Vector3d(1.0, 2.0, 10.0));
  EXPECT_EQ(vehicle.state().stamp, 3 * kNsPerSecond);
  Pilot pilot(config.controller, vehicleModel(config.vehicle));
  pilot.answer(vehicle.report());
  EXPECT_EQ(pilot.reference().p_WB, Vector3d(1.0, 2.0, 10.0));
  vehicle.command({config.vehicle.hoverSpeeds(), vehicle.state().stamp, vehicle.placements()});
  for (int i = 0; i < 1000; ++i) vehicle.step();
  EXPECT_GT(vehicle.state().X_WB.p.y(), 2.1) << "from now on the wind acts";
}

TEST(Wind, GustsMoveAVehicleTheSameWayForTheSameSeed) {
  UavConfig config = hummingbirdAt(10.0);
  config.wind = {{5.0, 0.0, 0.0}, 15.43};
  Uav one(config, {}, 0.0), same(config, {}, 0.0);
  config.seed = 2;
  Uav other(config, {}, 0.0);
  for (Uav* uav : {&one, &same, &other}) {
    uav->setGoal({0.0, 0.0, 10.0}, 0.0);
    fly(*uav, 5.0);
  }
  EXPECT_EQ(one.state().X_WB.p, same.state().X_WB.p);
  EXPECT_NE(one.state().X_WB.p, other.state().X_WB.p);
  EXPECT_GT((one.state().X_WB.p - Vector3d(0.0, 0.0, 10.0)).norm(), 0.01);
}

TEST(MotorFailure, ComesAtItsTime) {
  UavConfig config = hummingbirdAt(50.0);
  config.motor_failures = {{1, toNs(0.5), 0.0}};
  Uav uav(config, {}, kNoGround);
  uav.setGoal(config.start_p_WB, 0.0);
  fly(uav, 0.5);
  EXPECT_LT((uav.state().X_WB.p - config.start_p_WB).norm(), 1e-3);
  EXPECT_GT(uav.platform().motorSpeeds()[1], 400.0);
  fly(uav, 0.5);
  EXPECT_LT(uav.platform().motorSpeeds()[1], 1.0);
  EXPECT_GT(uav.state().w_WB_B.norm(), 1.0) << "a quadrotor tumbles";
}

TEST(MotorFailure, OneOfARotorThatHasFailedBeforeComesOnTop) {
  UavConfig config = hummingbirdAt(50.0);
  config.motor_failures = {{1, toNs(0.2), 0.5}, {1, toNs(0.4), 0.0}};
  UavConfig first = config;
  first.motor_failures.pop_back();
  Uav uav(config, {}, kNoGround), with_first(first, {}, kNoGround);
  for (Uav* each : {&uav, &with_first}) each->setGoal(config.start_p_WB, 0.0);
  fly(uav, 0.4);
  fly(with_first, 0.4);
  EXPECT_EQ(uav.state().w_WB_B, with_first.state().w_WB_B);
  EXPECT_GT(uav.state().w_WB_B.norm(), 0.1);
  fly(uav, 0.4);
  EXPECT_LT(uav.platform().motorSpeeds()[1], 1.0);
}

// Rotors that turn alternately: five of six cannot hold the yaw as well.
TEST(MotorFailure, AHexarotorHoldsItsPlaceWithFiveRotors) {
  UavConfig config = hummingbirdAt(20.0);
  config.vehicle = vehicle::firefly();
  config.motor_failures = {{1, kNsPerSecond, 0.0}};
  Uav uav(config, {}, kNoGround);
  uav.setGoal(config.start_p_WB, 0.0);
  double farthest = 0.0;
  for (int i = 0; i < 20000; ++i) {
    uav.step();
    farthest = std::max(farthest, (uav.state().X_WB.p - config.start_p_WB).norm());
  }
  EXPECT_LT(farthest, 1.0);
  EXPECT_LT(uav.platform().motorSpeeds()[1], 1.0);
}

TEST(Payload, IsHeldAtItsHeightKnownOrNot) {
  const auto sagOf = [](bool known) {
    UavConfig config = hummingbirdAt(10.0);
    config.vehicle.payload = {0.1, {0.02, 0.0, -0.05}, known};
    Uav uav(config, {}, kNoGround);
    uav.setGoal(config.start_p_WB, 0.0);
    double lowest = 0.0;
    for (int i = 0; i < 40000; ++i) {
      uav.step();
      lowest = std::min(lowest, uav.state().X_WB.p.z() - 10.0);
    }
    EXPECT_NEAR(uav.state().X_WB.p.z(), 10.0, 0.01) << known;
    return -lowest;
  };
  const double known = sagOf(true), unknown = sagOf(false);
  EXPECT_LT(known, 0.02);
  EXPECT_GT(unknown, 3.0 * known);
}

std::string complaintAbout(const std::function<void(UavConfig&)>& change) {
  UavConfig config = hummingbirdAt(1.0);
  change(config);
  try {
    config.validate("x");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Conditions, OutOfBoundsAreNamed) {
  EXPECT_EQ(complaintAbout([](auto& c) {
              c.motor_failures = {{4, 0, 0.0}};
            }),
            "x: motor_failure[0].rotor is 4, allowed: 0 to 3");
  EXPECT_EQ(complaintAbout([](auto& c) {
              c.motor_failures = {{-1, 0, 0.0}};
            }),
            "x: motor_failure[0].rotor is -1, allowed: 0 to 3");
  EXPECT_EQ(complaintAbout([](auto& c) {
              c.motor_failures = {{0, -kNsPerSecond, 0.0}};
            }),
            "x: motor_failure[0].time is -1, allowed: 0 or more s");
  EXPECT_EQ(complaintAbout([](auto& c) {
              c.motor_failures = {{0, 0, 1.5}};
            }),
            "x: motor_failure[0].effectiveness is 1.5, allowed: 0 to 1");
  EXPECT_EQ(complaintAbout([](auto& c) { c.wind.gusts = -2.0; }),
            "x: gusts is -2, allowed: 0 to 100 m/s");
  EXPECT_EQ(complaintAbout([](auto& c) { c.wind.mean_W.x() = 120.0; }),
            "x: wind is of 120 m/s, allowed: up to 100 m/s");
}

}  // namespace
}  // namespace marsim::sim
