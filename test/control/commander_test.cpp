// SPDX-License-Identifier: BSD-3-Clause
// Commands that hold for a while only, landing, and what is told of them.
#include "marsim/control/commander.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace marsim::control {
namespace {

using Eigen::Vector3d;

constexpr TimeNs kStep = Commander::kReplayStep;
constexpr VelocityLimits kVelocityLimits{4.0, 2.0, 2.0};

class CommanderTest : public testing::Test {
 protected:
  CommanderTest() { state_.X_WB.p = {1.0, 2.0, 3.0}; }

  // A vehicle that does as told, but for inner set points: those leave it as it is.
  Reference step() {
    state_.stamp += kStep;
    const Setpoint setpoint = commander_.setpoint(state_);
    const Reference reference = commander_.reference(state_);
    is_inner_ = !std::holds_alternative<Reference>(setpoint);
    if (is_inner_) return reference;
    state_.X_WB.p = reference.p_WB;
    state_.v_WB = reference.v_WB;
    return reference;
  }
  Reference flyOn(double seconds) {
    Reference reference;
    for (const TimeNs end = state_.stamp + toNs(seconds); state_.stamp < end;) reference = step();
    return reference;
  }
  Vector3d place() const { return state_.X_WB.p; }

  Commander commander_{GoalLimits{}, kVelocityLimits};
  KinematicState state_;
  bool is_inner_ = false;
};

TEST_F(CommanderTest, VelocityHoldsForHalfASecondThenBrakes) {
  flyOn(0.1);
  for (int i = 0; i < 40; ++i) {
    commander_.setVelocity({{0.0, 1.5, 0.0}, 0.3, false}, state_.stamp);
    flyOn(0.1);
  }
  EXPECT_NEAR(state_.v_WB.y(), 1.5, 1e-3);
  EXPECT_FALSE(commander_.takeEndedStream());
  flyOn(0.39);  // 0.49 s after the last one
  EXPECT_NEAR(state_.v_WB.y(), 1.5, 1e-3);
  const Vector3d braked_from = place();
  flyOn(2.0);
  EXPECT_EQ(commander_.takeEndedStream(), Commander::Stream::kVelocity);
  EXPECT_FALSE(commander_.takeEndedStream()) << "said once";
  const Vector3d held = place();
  EXPECT_GT(held.y() - braked_from.y(), 1.5 * 1.5 / 4.0);
  EXPECT_LT(held.y() - braked_from.y(), 1.5 * 1.5 / 4.0 + 0.3);
  const Reference reference = flyOn(5.0);
  EXPECT_LT((place() - held).norm(), 1e-3) << "holds";
  EXPECT_LT(reference.yaw_rate, 1e-6);
}

TEST_F(CommanderTest, VelocityIsLimited) {
  flyOn(0.1);
  for (int i = 0; i < 60; ++i) {
    commander_.setVelocity({{30.0, 0.0, 0.0}, 9.0, false}, state_.stamp);
    const Reference reference = flyOn(0.1);
    EXPECT_LT(reference.v_WB.norm(), 1.001 * kVelocityLimits.speed);
    EXPECT_LE(reference.yaw_rate, kVelocityLimits.yaw_rate);
  }
  EXPECT_NEAR(state_.v_WB.x(), kVelocityLimits.speed, 1e-3);
}

TEST_F(CommanderTest, InnerSetpointsEndInABrakeFromTheVehiclesMotion) {
  const InnerSetpoint setpoints[] = {AttitudeSetpoint{}, RateSetpoint{},
                                     MotorSetpoint{RotorArray::Constant(4, 300.0)}};
  const Commander::Stream streams[] = {Commander::Stream::kAttitude, Commander::Stream::kRates,
                                       Commander::Stream::kMotorSpeeds};
  flyOn(0.1);
  for (int i = 0; i < 3; ++i) {
    commander_.setInner(setpoints[i], state_.stamp);
    const TimeNs last = state_.stamp;
    state_.v_WB = {1.0, 0.0, -0.5};
    while (state_.stamp < last + Commander::kStreamTimeout - kStep) {
      const Reference reference = step();
      ASSERT_TRUE(is_inner_);
      ASSERT_EQ(reference.p_WB, place()) << "the reference is the vehicle's own motion";
      ASSERT_EQ(reference.v_WB, state_.v_WB);
      state_.X_WB.p += 0.002 * state_.v_WB;
    }
    const Vector3d place_then = place();
    const Reference first = step();
    EXPECT_FALSE(is_inner_);
    EXPECT_EQ(first.p_WB, place_then);
    EXPECT_EQ(first.v_WB, Vector3d(1.0, 0.0, -0.5));
    EXPECT_EQ(commander_.takeEndedStream(), streams[i]);
    flyOn(5.0);
    EXPECT_LT((place() - place_then).norm(), 1.25 / 4.0 + 0.25);
    EXPECT_LT(state_.v_WB.norm(), 1e-6);
  }
}

TEST_F(CommanderTest, NewestOfAnyLevelIsFollowed) {
  flyOn(0.1);
  commander_.setInner(AttitudeSetpoint{}, state_.stamp);
  flyOn(0.1);
  commander_.setVelocity({{1.0, 0.0, 0.0}, 0.0, false}, state_.stamp);
  flyOn(0.1);
  EXPECT_FALSE(is_inner_);
  commander_.setInner(RateSetpoint{}, state_.stamp);
  step();
  EXPECT_TRUE(is_inner_);
  const Vector3d goal = place() + Vector3d(1.0, 0.0, 0.0);
  commander_.setGoal(goal, 0.0, state_.stamp);
  flyOn(5.0);
  EXPECT_LT((place() - goal).norm(), 1e-6);
  EXPECT_FALSE(commander_.takeEndedStream()) << "what was replaced has not ended by its timeout";
  commander_.setVelocity({{1.0, 0.0, 0.0}, 0.0, false}, state_.stamp);
  flyOn(0.2);
  commander_.setPose(goal, 0.0, state_.stamp);
  flyOn(8.0);
  EXPECT_LT((place() - goal).norm(), 1e-5);
}

TEST_F(CommanderTest, LandingDescendsUntilSomethingElseIsCommanded) {
  commander_.land(state_.stamp);
  EXPECT_FALSE(commander_.commanded()) << "without a state there is no place to land from";
  flyOn(0.1);
  const Vector3d from = place();
  commander_.land(state_.stamp);
  flyOn(10.0);
  EXPECT_TRUE(commander_.lands());
  EXPECT_NEAR(state_.v_WB.z(), -Commander::kLandingSpeed, 1e-6);
  EXPECT_NEAR((place() - from).head<2>().norm(), 0.0, 1e-9);
  commander_.setVelocity({}, state_.stamp);
  EXPECT_FALSE(commander_.lands());
  flyOn(2.0);
  EXPECT_LT(state_.v_WB.norm(), 1e-5);
}

// Another commander goes on with brakes and descents to the last bit, and brakes a stream.
TEST_F(CommanderTest, BrakesAndDescentsAreResumed) {
  flyOn(0.1);
  commander_.setVelocity({{2.0, 1.0, 0.0}, 0.5, true}, state_.stamp);
  flyOn(0.3);
  const ActiveCommand stream = commander_.active();
  EXPECT_EQ(stream.kind, ActiveCommand::Kind::kStop);
  flyOn(0.4);  // the stream has ended
  const ActiveCommand stop = commander_.active();
  EXPECT_EQ(stop.kind, ActiveCommand::Kind::kStop);
  flyOn(0.2);
  const auto expectSame = [&](const ActiveCommand& told) {
    Commander other(GoalLimits{}, kVelocityLimits);
    other.resume(told, state_.stamp);
    EXPECT_TRUE(other.commanded());
    for (int i = 0; i < 500; ++i) {
      const Reference here = step(), there = other.reference(state_);
      ASSERT_EQ(here.p_WB, there.p_WB);
      ASSERT_EQ(here.v_WB, there.v_WB);
      ASSERT_EQ(here.yaw, there.yaw);
    }
    EXPECT_EQ(other.lands(), commander_.lands());
  };
  expectSame(stop);
  commander_.land(state_.stamp);
  const ActiveCommand land = commander_.active();
  EXPECT_EQ(land.kind, ActiveCommand::Kind::kLand);
  flyOn(1.0);
  expectSame(land);

  Commander other(GoalLimits{}, kVelocityLimits);
  KinematicState later;
  later.stamp = stream.stamp + 3 * kNsPerSecond;
  other.resume(stream, later.stamp);
  EXPECT_LT((other.reference(later).p_WB - stream.from.p_WB).norm(), 0.5);
  EXPECT_LT(other.reference(later).v_WB.norm(), 1e-3);
}

}  // namespace
}  // namespace marsim::control
