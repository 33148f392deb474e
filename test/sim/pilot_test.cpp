// SPDX-License-Identifier: BSD-3-Clause
// Flights commanded at every level, taking off, landing and arming.
#include "marsim/sim/pilot.hpp"

#include <cmath>
#include <deque>
#include <limits>

#include <gtest/gtest.h>

#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/sim/world.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::sim {
namespace {

using control::AttitudeSetpoint;
using control::MotorSetpoint;
using control::RateSetpoint;
using Eigen::Vector3d;

constexpr double kNoGround = -std::numeric_limits<double>::infinity();

UavConfig configAt(double z, const vehicle::VehicleConfig& vehicle = vehicle::hummingbird()) {
  UavConfig config;
  config.vehicle = vehicle;
  config.start_p_WB = {0.0, 0.0, z};
  return config;
}

void run(Uav& uav, double seconds) {
  for (int i = 0; i < static_cast<int>(std::lround(seconds * 1000.0)); ++i) uav.step();
}

// Gives a set point 50 times a second.
void stream(Uav& uav, const control::InnerSetpoint& setpoint, double seconds) {
  for (int i = 0; i < static_cast<int>(std::lround(seconds * 50.0)); ++i) {
    uav.pilot().commander().setInner(setpoint, uav.state().stamp);
    run(uav, 0.02);
  }
}

double weight(const UavConfig& config) { return config.vehicle.mass * kGravity; }

// Without drag a tilt t with thrust m g / cos t keeps the height and accelerates by g tan t.
TEST(PilotLevels, AttitudeAndThrust) {
  for (const auto& vehicle : vehicle::allVehicles()) {
    SCOPED_TRACE(vehicle.name);
    UavConfig config = configAt(50.0, vehicle);
    config.vehicle.linear_drag.setZero();
    config.vehicle.rotor_drag_coefficient = 0.0;
    Uav uav(config, {}, 0.0);
    run(uav, 1.0);
    constexpr double kTilt = 0.2;
    AttitudeSetpoint setpoint;
    setpoint.q_WB = fromRollPitchYaw(0.0, kTilt, 0.5);
    setpoint.thrust = weight(config) / std::cos(kTilt);
    stream(uav, setpoint, 1.5);
    EXPECT_LT(uav.state().X_WB.q.angularDistance(setpoint.q_WB), 0.02);
    const double before = uav.state().v_WB.norm();
    stream(uav, setpoint, 1.0);
    EXPECT_NEAR(uav.state().v_WB.norm() - before, kGravity * std::tan(kTilt), 0.05);
    EXPECT_NEAR(uav.state().X_WB.p.z(), 50.0, 1.0);
  }
}

TEST(PilotLevels, RatesAndThrust) {
  for (const auto& vehicle : vehicle::allVehicles()) {
    SCOPED_TRACE(vehicle.name);
    const UavConfig config = configAt(50.0, vehicle);
    Uav uav(config, {}, 0.0);
    run(uav, 1.0);
    RateSetpoint setpoint{{0.0, 0.0, 0.8}, weight(config)};
    stream(uav, setpoint, 1.5);
    EXPECT_NEAR(uav.state().w_WB_B.z(), 0.8, 0.01);
    EXPECT_LT(uav.state().w_WB_B.head<2>().norm(), 0.02);
    EXPECT_NEAR(uav.state().X_WB.p.z(), 50.0, 0.2);
    const double before = yawOf(uav.state().X_WB.q);
    stream(uav, setpoint, 1.0);
    EXPECT_NEAR(wrapAngle(yawOf(uav.state().X_WB.q) - before), 0.8, 0.01);
  }
}

// Thrust goes with the square of the speed.
TEST(PilotLevels, MotorSpeeds) {
  UavConfig config = configAt(50.0);
  config.vehicle.linear_drag.setZero();
  Uav uav(config, {}, 0.0);
  run(uav, 1.0);
  const RotorArray hover = config.vehicle.hoverSpeeds();
  stream(uav, MotorSetpoint{hover}, 1.0);
  EXPECT_LT(uav.state().v_WB.norm(), 0.01);
  stream(uav, MotorSetpoint{1.05 * hover}, 1.0);
  const double before = uav.state().v_WB.z();
  stream(uav, MotorSetpoint{1.05 * hover}, 1.0);
  EXPECT_NEAR(uav.state().v_WB.z() - before, kGravity * (1.05 * 1.05 - 1.0), 0.01);
}

TEST(PilotLevels, VelocityInTheHeadingFrame) {
  for (const auto& vehicle : vehicle::allVehicles()) {
    SCOPED_TRACE(vehicle.name);
    UavConfig config = configAt(50.0, vehicle);
    config.start_yaw = 0.7;
    Uav uav(config, {}, 0.0);
    run(uav, 0.5);
    for (int i = 0; i < 150; ++i) {
      uav.pilot().commander().setVelocity({{1.0, 0.5, -0.3}, 0.0, true}, uav.state().stamp);
      run(uav, 0.02);
    }
    const Vector3d expected = fromRollPitchYaw(0.0, 0.0, 0.7) * Vector3d(1.0, 0.5, -0.3);
    EXPECT_LT((uav.state().v_WB - expected).norm(), 0.01);
  }
}

// Whatever was commanded last: after half a second without it the vehicle is caught and holds.
TEST(PilotLevels, StreamsThatEndAreCaught) {
  const UavConfig config = configAt(50.0);
  AttitudeSetpoint tilted{fromRollPitchYaw(0.4, -0.4, 0.0), 0.0, 1.2 * weight(config)};
  const RateSetpoint rolling{{3.0, 0.0, 0.0}, weight(config)};
  const MotorSetpoint off{RotorArray::Zero(4)};
  for (const control::InnerSetpoint& setpoint :
       {control::InnerSetpoint(tilted), control::InnerSetpoint(rolling),
        control::InnerSetpoint(off)}) {
    SCOPED_TRACE(setpoint.index());
    Uav uav(config, {}, 0.0);
    run(uav, 1.0);
    uav.pilot().commander().setInner(setpoint, uav.state().stamp);
    run(uav, 0.49);
    EXPECT_FALSE(uav.pilot().commander().takeEndedStream());
    run(uav, 0.02);
    EXPECT_TRUE(uav.pilot().commander().takeEndedStream());
    run(uav, 10.0);
    EXPECT_LT(uav.state().v_WB.norm(), 0.01);
    EXPECT_LT((uav.state().X_WB.p - uav.reference().p_WB).norm(), 0.03);
    EXPECT_GT(uav.state().X_WB.p.z(), 30.0);
    const Vector3d held = uav.state().X_WB.p;
    run(uav, 3.0);
    EXPECT_LT((uav.state().X_WB.p - held).norm(), 0.01);
  }
}

class TakeOffAndLanding : public testing::Test {
 protected:
  void expectRefused(const Pilot::Outcome& outcome, const std::string& words) {
    EXPECT_FALSE(outcome.done);
    EXPECT_NE(outcome.text.find(words), std::string::npos) << outcome.text;
  }
  bool stands() const { return uav_.platform().onGround(); }

  Uav uav_{configAt(0.0), {}, 0.0};
  Pilot& pilot_ = uav_.pilot();
};

TEST_F(TakeOffAndLanding, ThereAndBack) {
  run(uav_, 0.5);
  ASSERT_TRUE(stands());
  const double ground = uav_.state().X_WB.p.z();
  const Pilot::Outcome outcome = pilot_.takeOff(2.0);
  EXPECT_TRUE(outcome.done) << outcome.text;
  double farthest = 0.0;
  for (int i = 0; i < 6000; ++i) {
    uav_.step();
    farthest = std::max(farthest, uav_.state().X_WB.p.head<2>().norm());
  }
  EXPECT_LT(farthest, 0.01) << "straight up";
  EXPECT_NEAR(uav_.state().X_WB.p.z(), ground + 2.0, 0.01);
  expectRefused(pilot_.takeOff(1.0), "in the air");

  EXPECT_TRUE(pilot_.land().done);
  double fastest = 0.0;
  for (int i = 0; i < 8000 && !stands(); ++i) {
    uav_.step();
    fastest = std::max(fastest, -uav_.state().v_WB.z());
  }
  ASSERT_TRUE(stands());
  EXPECT_NEAR(fastest, control::Commander::kLandingSpeed, 0.05);
  run(uav_, 3.0);
  EXPECT_TRUE(stands());
  EXPECT_LT(uav_.platform().motorSpeeds().maxCoeff(), 1.0) << "the motors rest";
  EXPECT_FALSE(pilot_.commander().commanded());
  uav_.setGoal({0.0, 0.0, 1.0}, 0.0);  // any command ends the rest
  run(uav_, 5.0);
  EXPECT_NEAR(uav_.state().X_WB.p.z(), 1.0, 0.01);
}

TEST_F(TakeOffAndLanding, HeightsAndStates) {
  run(uav_, 0.1);
  for (const double height : {-1.0, 1001.0, std::nan(""), HUGE_VAL}) {
    expectRefused(pilot_.takeOff(height), "allowed: 0 (1.5 m) to 1000 m");
  }
  EXPECT_TRUE(pilot_.land().done);
  run(uav_, 0.5);
  EXPECT_TRUE(stands());
  EXPECT_TRUE(pilot_.takeOff(0.0).done);
  run(uav_, 5.0);
  EXPECT_NEAR(uav_.state().X_WB.p.z(), Pilot::kTakeOffHeight, 0.3);
}

// A stream that ends on the ground, as where somebody lands by hand, leaves the motors at rest.
TEST_F(TakeOffAndLanding, StreamsThatEndOnTheGroundEndInRest) {
  run(uav_, 0.1);
  EXPECT_TRUE(pilot_.takeOff(1.0).done);
  run(uav_, 4.0);
  for (int i = 0; i < 100; ++i) {
    pilot_.commander().setVelocity({{0.0, 0.0, -0.5}, 0.0, false}, uav_.state().stamp);
    run(uav_, 0.05);
  }
  ASSERT_TRUE(stands());
  run(uav_, 3.0);
  EXPECT_TRUE(stands());
  EXPECT_LT(uav_.platform().motorSpeeds().maxCoeff(), 1.0);
  stream(uav_, RateSetpoint{Vector3d::Zero(), 0.0}, 0.2);
  run(uav_, 3.0);
  EXPECT_TRUE(stands());
  EXPECT_LT(uav_.platform().motorSpeeds().maxCoeff(), 1.0);
}

TEST_F(TakeOffAndLanding, DisarmedMotorsStayOff) {
  run(uav_, 0.1);
  EXPECT_TRUE(pilot_.isArmed());
  EXPECT_TRUE(pilot_.arm(true).done) << "already";
  EXPECT_TRUE(pilot_.arm(false).done);
  EXPECT_FALSE(pilot_.isArmed());
  uav_.setGoal({0.0, 0.0, 2.0}, 0.0);
  run(uav_, 3.0);
  EXPECT_TRUE(stands());
  EXPECT_EQ(uav_.platform().motorSpeeds().maxCoeff(), 0.0);
  EXPECT_TRUE(pilot_.arm(true).done);
  run(uav_, 2.0);
  EXPECT_TRUE(stands()) << "what was commanded before is forgotten";
  EXPECT_TRUE(pilot_.arm(false).done);
  EXPECT_TRUE(pilot_.takeOff(1.0).done) << "arms";
  EXPECT_TRUE(pilot_.isArmed());
  run(uav_, 5.0);
  EXPECT_FALSE(stands());
  expectRefused(pilot_.arm(false), "in the air");
  run(uav_, 1.0);
  EXPECT_FALSE(stands());
}

TEST_F(TakeOffAndLanding, PlacementArmsAndForgetsALanding) {
  run(uav_, 0.1);
  EXPECT_TRUE(pilot_.arm(false).done);
  uav_.teleport({1.0, 0.0, 3.0}, 0.0);
  run(uav_, 3.0);
  EXPECT_TRUE(pilot_.isArmed());
  EXPECT_LT((uav_.state().X_WB.p - Vector3d(1.0, 0.0, 3.0)).norm(), 0.01);
  EXPECT_TRUE(pilot_.land().done);
  run(uav_, 1.0);
  uav_.teleport({1.0, 0.0, 3.0}, 0.0);
  run(uav_, 3.0);
  EXPECT_LT((uav_.state().X_WB.p - Vector3d(1.0, 0.0, 3.0)).norm(), 0.01);
}

// In lockstep, of commands of one state the kind decides, a stamp far ahead counts as none.
TEST(PilotKinds, LastKindOfAStateIsFollowed) {
  Uav uav(configAt(50.0), {}, 0.0);
  run(uav, 0.1);
  Pilot& pilot = uav.pilot();
  std::vector<CommandKind> acted;
  const auto command = [&](CommandKind kind) {
    return [&acted, kind](control::Commander&, TimeNs) { acted.push_back(kind); };
  };
  const std::vector<CommandKind> order = {CommandKind::kPose,   CommandKind::kVelocity,
                                          CommandKind::kCmdVel, CommandKind::kAttitude,
                                          CommandKind::kRates,  CommandKind::kMotorSpeeds};
  for (auto kind = order.rbegin(); kind != order.rend(); ++kind) {
    EXPECT_TRUE(pilot.commandAt(uav.state().stamp + 50'000'000, *kind, command(*kind)));
  }
  run(uav, 0.04);
  EXPECT_TRUE(acted.empty());
  run(uav, 0.02);
  EXPECT_EQ(acted, order);
  acted.clear();
  EXPECT_FALSE(pilot.commandAt(uav.state().stamp + 300'000'000, CommandKind::kAttitude,
                               command(CommandKind::kAttitude)));
  run(uav, 0.002);
  EXPECT_EQ(acted.size(), 1U);
}

// As on a machine that has too much to do: for four seconds of a gentle flight answers are late.
TEST(Pilot, RecoversFromLateMotorSpeeds) {
  constexpr double kBegin = 3.5, kEnd = 7.3, kLast = 20.0;  // [s]
  for (const std::size_t lateness : {20, 25, 30, 40}) {     // reports of 2 ms
    VehicleSetup setup;
    setup.vehicle = config::loadVehicle("hummingbird");
    setup.collision.on = false;
    Vehicle vehicle(setup, kNoGround, nullptr, 0);
    vehicle.place({0.0, 0.0, 1.5}, 0.0, 0);
    Pilot pilot(config::loadController("agile"), vehicleModel(setup.vehicle));
    std::deque<vehicle::RotorArray> waiting;
    control::Reference reference;
    reference.p_WB.z() = 1.5;
    for (double time = 0.0; time < kLast; time = toSeconds(vehicle.state().stamp)) {
      if (!vehicle.step().report) continue;
      const double s = std::min(std::max(time - 1.0, 0.0) / 6.0, 1.0);  // 9 m in 6 s, smoothly
      reference.p_WB.x() = 9.0 * s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
      reference.v_WB.x() = 1.5 * 30.0 * s * s * (1.0 + s * (-2.0 + s));
      reference.a_WB.x() = 0.25 * 60.0 * s * (1.0 + s * (-3.0 + 2.0 * s));
      reference.j_WB.x() = 60.0 / 24.0 * (1.0 + s * (-6.0 + 6.0 * s));
      pilot.commander().setReference(reference, vehicle.state().stamp);
      if (const auto speeds = pilot.answer(vehicle.report())) waiting.push_back(*speeds);
      const std::size_t keep = time > kBegin && time < kEnd ? lateness : 0;
      for (; waiting.size() > keep; waiting.pop_front()) vehicle.command(waiting.front());
    }
    EXPECT_LT((vehicle.state().X_WB.p - reference.p_WB).norm(), 0.1) << lateness << " reports late";
    EXPECT_LT(vehicle.state().w_WB_B.norm(), 0.1) << lateness << " reports late";
  }
}

}  // namespace
}  // namespace marsim::sim
