// SPDX-License-Identifier: BSD-3-Clause
#include "sim/ideal_motion.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/sim/world.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::sim {
namespace {

using control::Reference;
using Eigen::Vector3d;

constexpr double kNoGround = -std::numeric_limits<double>::infinity();

// A curve with all derivatives in closed form.
Reference curve(double t) {
  Reference r;
  r.p_WB = {3.0 * std::sin(t), 2.0 * std::cos(0.7 * t), 0.5 * std::sin(1.3 * t)};
  r.v_WB = {3.0 * std::cos(t), -1.4 * std::sin(0.7 * t), 0.65 * std::cos(1.3 * t)};
  r.a_WB = {-3.0 * std::sin(t), -0.98 * std::cos(0.7 * t), -0.845 * std::sin(1.3 * t)};
  r.j_WB = {-3.0 * std::cos(t), 0.686 * std::sin(0.7 * t), -1.0985 * std::cos(1.3 * t)};
  r.yaw = 0.8 * std::sin(0.5 * t);
  r.yaw_rate = 0.4 * std::cos(0.5 * t);
  return r;
}

// Thrust along body z accounts for the acceleration, the heading is the yaw, and the rates are the
// differences of the attitudes.
TEST(FlatState, TurnsAsItsAttitudesDo) {
  for (double t = 0.0; t < 10.0; t += 0.37) {
    const KinematicState state = flatState(curve(t), 5);
    EXPECT_EQ(state.stamp, 5);
    const Vector3d thrust = state.a_WB + Vector3d(0.0, 0.0, kGravity);
    EXPECT_LT((state.X_WB.q * Vector3d::UnitZ() - thrust.normalized()).norm(), 1e-12);
    EXPECT_NEAR(yawOf(state.X_WB.q), curve(t).yaw, 1e-12);
    const double h = 1e-4;
    const KinematicState before = flatState(curve(t - h), 0), after = flatState(curve(t + h), 0);
    const Vector3d w = logMap(before.X_WB.q.conjugate() * after.X_WB.q) / (2.0 * h);
    EXPECT_LT((state.w_WB_B - w).norm(), 1e-6) << t;
    const KinematicState carried = flatState(carriedOn(curve(t), h), 0);
    const Vector3d dw = (carried.w_WB_B - state.w_WB_B) / h;
    EXPECT_LT((state.dw_WB_B - dw).norm(), 1e-2) << t;
  }
}

TEST(FlatState, StaysLevelInFreeFall) {
  Reference falling;
  falling.a_WB = {0.0, 0.0, -kGravity};
  falling.yaw = 0.5;
  const KinematicState state = flatState(falling, 0);
  EXPECT_LT((state.X_WB.q * Vector3d::UnitZ() - Vector3d::UnitZ()).norm(), 1e-12);
  EXPECT_NEAR(yawOf(state.X_WB.q), 0.5, 1e-12);
  EXPECT_TRUE(state.dw_WB_B.allFinite());
}

UavConfig ideal() {
  UavConfig config;
  config.vehicle = vehicle::hummingbird();
  config.dynamics = Dynamics::kIdeal;
  config.start_p_WB = {0.0, 0.0, 2.0};
  return config;
}

// Given the curve's exact values at every state it is on the curve at every step between them.
TEST(IdealDynamics, AreWhereTheReferenceIs) {
  UavConfig config = ideal();
  config.start_p_WB = curve(0.0).p_WB;
  Uav uav(config, {}, kNoGround);
  double farthest = 0.0, specific = 0.0;
  uav.on_imu = [&](const vehicle::ImuSample& sample) {
    if (sample.stamp < kNsPerSecond) return;
    const Vector3d thrust = curve(toSeconds(sample.stamp)).a_WB + Vector3d(0.0, 0.0, kGravity);
    specific = std::max(specific, std::abs(sample.specific_force.norm() - thrust.norm()));
  };
  for (int i = 0; i < 5000; ++i) {
    if (i % 2 == 1) {
      uav.setReference(curve(toSeconds(uav.state().stamp + 1'000'000)));
    }
    uav.step();
    const double t = toSeconds(uav.state().stamp);
    if (i < 10) continue;
    farthest = std::max(farthest, (uav.state().X_WB.p - curve(t).p_WB).norm());
  }
  EXPECT_LT(farthest, 0.02);
  EXPECT_LT(specific, 1.0) << "the IMU's noise and its interval";
}

TEST(IdealDynamics, FlyToAGoalWithoutError) {
  UavConfig config = ideal();
  Uav uav(config, {}, kNoGround);
  for (int i = 0; i < 100; ++i) uav.step();
  EXPECT_EQ(uav.state().X_WB.p, config.start_p_WB) << "it holds before its first command";
  uav.setGoal({4.0, -2.0, 3.0}, 1.0);
  double farthest = 0.0;
  for (int i = 0; i < 12000; ++i) {
    uav.step();
    if (i % 2 == 1) {
      farthest = std::max(farthest, (uav.state().X_WB.p - uav.reference().p_WB).norm());
    }
  }
  EXPECT_LT(farthest, 1e-5) << "the change of jerk in two states";
  EXPECT_LT((uav.state().X_WB.p - Vector3d(4.0, -2.0, 3.0)).norm(), 1e-9);
  EXPECT_NEAR(yawOf(uav.state().X_WB.q), 1.0, 1e-9);
}

TEST(IdealDynamics, NeitherWindNorAFailedMotorMattersToThem) {
  UavConfig config = ideal();
  config.wind = {{20.0, 0.0, 0.0}, 10.0};
  config.motor_failures = {{0, 0, 0.0}};
  Uav uav(config, {}, kNoGround);
  for (int i = 0; i < 2000; ++i) uav.step();
  EXPECT_LT((uav.state().X_WB.p - config.start_p_WB).norm(), 1e-12);
}

TEST(IdealDynamics, StandOnTheGroundPlaneAndLeaveIt) {
  UavConfig config = ideal();
  const double standing = config.vehicle.ground_clearance;
  config.start_p_WB = {0.0, 0.0, standing};
  Uav uav(config, {}, 0.0);
  for (int i = 0; i < 200; ++i) uav.step();
  EXPECT_TRUE(uav.platform().onGround());
  EXPECT_EQ(uav.state().X_WB.p.z(), standing);
  uav.setGoal({0.0, 0.0, 1.0}, 0.0);
  for (int i = 0; i < 6000; ++i) uav.step();
  EXPECT_FALSE(uav.platform().onGround());
  EXPECT_NEAR(uav.state().X_WB.p.z(), 1.0, 1e-9);
  uav.setGoal({1.0, 0.0, -1.0}, 0.0);
  for (int i = 0; i < 8000; ++i) {
    uav.step();
    ASSERT_GE(uav.state().X_WB.p.z(), standing);
  }
  EXPECT_TRUE(uav.platform().onGround());
}

TEST(IdealDynamics, StandStillWhenNothingMoreIsTracked) {
  IdealMotion motion;
  motion.add(curve(1.0), 0, 0);
  KinematicState state = motion.after(KinematicState{}, 50'000'000);
  EXPECT_LT((state.X_WB.p - carriedOn(curve(1.0), 0.05).p_WB).norm(), 1e-12);
  state = motion.after(state, kNsPerSecond);
  EXPECT_LT((state.X_WB.p - carriedOn(curve(1.0), 0.1).p_WB).norm(), 1e-12);
  EXPECT_TRUE(state.v_WB.isZero());
}

TEST(IdealDynamics, RefuseAResponseToCollisions) {
  UavConfig config = ideal();
  config.collision.response = CollisionResponse::kBounce;
  try {
    config.validate("x");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "x: collision_response is bounce, allowed: report, since its dynamics are ideal");
  }
}

}  // namespace
}  // namespace marsim::sim
