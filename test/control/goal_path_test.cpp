// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/control/commander.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

struct Peaks {
  double speed = 0.0, acceleration = 0.0, yaw_rate = 0.0;
};

// Samples a path and checks on the way that every derivative belongs to the one before.
Peaks peaksOf(const GoalPath& path, TimeNs start) {
  Peaks peaks;
  const TimeNs step = std::clamp<TimeNs>((path.end() - start) / 5000, 1, 1'000'000);
  const double dt = toSeconds(step);
  Reference last = path.at(start);
  int jerk_jumps = 0;
  for (TimeNs t = start + step; t < path.end(); t += step) {
    const Reference now = path.at(t);
    peaks.speed = std::max(peaks.speed, now.v_WB.norm());
    peaks.acceleration = std::max(peaks.acceleration, now.a_WB.norm());
    peaks.yaw_rate = std::max(peaks.yaw_rate, std::abs(now.yaw_rate));
    EXPECT_LT(((now.p_WB - last.p_WB) / dt - 0.5 * (now.v_WB + last.v_WB)).norm(), 1e-3);
    EXPECT_LT(((now.v_WB - last.v_WB) / dt - 0.5 * (now.a_WB + last.a_WB)).norm(), 0.1);
    const Vector3d jerk_error = (now.a_WB - last.a_WB) / dt - 0.5 * (now.j_WB + last.j_WB);
    jerk_jumps += jerk_error.norm() > 0.1 + 0.02 * now.j_WB.norm() ? 1 : 0;
    EXPECT_NEAR(wrapAngle(now.yaw - last.yaw) / dt, 0.5 * (now.yaw_rate + last.yaw_rate), 1e-3);
    last = now;
  }
  EXPECT_LE(jerk_jumps, 2) << "only where braking and the turn end";
  return peaks;
}

// The rest-to-rest quintic peaks at 15/8 d/T and 10/sqrt(3) d/T^2. Where that is slower, the speed
// rises within T = 16/9 V/A along 0.6 V T, as integrating V (1 - (1 - t/T)^3 (1 + 3 t/T)) gives,
// falls the same way, and is V between.
double quickest(double d, const GoalLimits& limits) {
  const double V = limits.speed, A = limits.acceleration;
  const double quintic = std::max(15.0 / 8.0 * d / V, std::sqrt(10.0 / std::sqrt(3.0) * d / A));
  const double ramp = 16.0 / 9.0 * V / A;
  const double cruise = 2.0 * ramp + (d - 2.0 * 0.6 * V * ramp) / V;
  return d > 2.0 * 0.6 * V * ramp ? std::min(quintic, cruise) : quintic;
}

TEST(GoalPath, RestToRestIsStraightAndAsShortAsTheLimitsAllow) {
  RandomStream random(9);
  const GoalLimits limits;
  for (int i = 0; i < 30; ++i) {
    Reference from;
    from.p_WB = {random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(0, 3)};
    from.yaw = random.uniform(-3, 3);
    const double reach = i % 2 == 0 ? 20.0 : 0.5;
    const Vector3d goal = from.p_WB + reach * Vector3d(random.normal(), random.normal(), 0.3);
    const double turn = random.uniform(-0.3, 0.3);
    const GoalPath path(from, 1'000, goal, from.yaw + turn, limits);
    const double d = (goal - from.p_WB).norm();
    const double expected =
        std::max(quickest(d, limits), 15.0 / 8.0 * std::abs(turn) / limits.yaw_rate);
    EXPECT_NEAR(toSeconds(path.end() - 1'000), expected, 2e-3 * expected);
    const Peaks peaks = peaksOf(path, 1'000);
    EXPECT_LE(peaks.speed, limits.speed);
    EXPECT_LE(peaks.acceleration, limits.acceleration);
    EXPECT_LE(peaks.yaw_rate, limits.yaw_rate);
    const Vector3d along = (goal - from.p_WB) / d;
    for (TimeNs t = 0; t < path.end(); t += 100'000'000) {
      EXPECT_LT((path.at(t).p_WB - from.p_WB).cross(along).norm(), 1e-9);
    }
    EXPECT_LT((path.at(path.end()).p_WB - goal).norm(), 1e-9);
    EXPECT_EQ(path.at(path.end() + 5).v_WB, Vector3d::Zero());
    EXPECT_EQ(path.at(0).p_WB, from.p_WB) << "before the start";
  }
}

TEST(GoalPath, StartsWithTheMotionItIsGivenAndKeepsTheLimits) {
  RandomStream random(10);
  const GoalLimits limits;
  for (int i = 0; i < 100; ++i) {
    Reference from;
    from.v_WB = Vector3d(random.normal(), random.normal(), random.normal()).normalized() *
                random.uniform(0.0, 1.5);
    from.a_WB = Vector3d(random.normal(), random.normal(), random.normal()).normalized() *
                random.uniform(0.0, 1.0);
    from.yaw_rate = random.uniform(-0.5, 0.5);
    const Vector3d goal(random.uniform(-20, 20), random.uniform(-20, 20), random.uniform(-2, 2));
    const GoalPath path(from, 0, goal, random.uniform(-3, 3), limits);
    const Reference first = path.at(0);
    EXPECT_LT((first.p_WB - from.p_WB).norm() + (first.v_WB - from.v_WB).norm() +
                  (first.a_WB - from.a_WB).norm() + std::abs(first.yaw_rate - from.yaw_rate),
              1e-9);
    EXPECT_LT((path.at(path.end()).p_WB - goal).norm(), 1e-9);
    const Peaks peaks = peaksOf(path, 0);
    EXPECT_LE(peaks.speed, limits.speed);
    EXPECT_LE(peaks.acceleration, limits.acceleration);
    EXPECT_LE(peaks.yaw_rate, limits.yaw_rate);
  }
}

// At full speed close to the goal: brakes first and comes back.
TEST(GoalPath, BrakesWhereTheGoalIsTooNear) {
  const GoalLimits limits;
  Reference from;
  from.v_WB = {2.0, 0.0, 0.0};
  const GoalPath path(from, 0, {-0.5, 0.2, 0.0}, 0.0, limits);
  EXPECT_LT((path.at(0).v_WB - from.v_WB).norm(), 1e-9);
  const Peaks peaks = peaksOf(path, 0);
  EXPECT_LE(peaks.speed, 1.01 * limits.speed);
  EXPECT_LE(peaks.acceleration, limits.acceleration);
  EXPECT_LT((path.at(path.end()).p_WB - Vector3d(-0.5, 0.2, 0.0)).norm(), 1e-9);
}

// 500 m at 2 m/s: 250 s and what speeding up and braking cost, not the 468 s of one polynomial that
// has gone a centimetre after 6 s.
TEST(GoalPath, FarGoalsAreFlownToAtTheSpeedLimit) {
  const GoalLimits limits;
  Reference from;
  from.p_WB = {3.0, -4.0, 1.5};
  const Vector3d goal = from.p_WB + Vector3d(300.0, 400.0, 0.0);
  const GoalPath path(from, 0, goal, 2.5, limits);
  EXPECT_NEAR(toSeconds(path.end()), 251.4, 0.5);
  EXPECT_NEAR((path.at(6 * kNsPerSecond).p_WB - from.p_WB).norm(), 2.0 * 6.0 - 1.42, 0.1);
  const Peaks peaks = peaksOf(path, 0);
  EXPECT_LE(peaks.speed, limits.speed);
  EXPECT_GT(peaks.speed, 0.99 * limits.speed);
  EXPECT_LE(peaks.acceleration, limits.acceleration);
  EXPECT_NEAR(path.at(10 * kNsPerSecond).yaw, 2.5, 1e-9) << "the turn does not take as long";
  EXPECT_LT((path.at(path.end()).p_WB - goal).norm(), 1e-9);
}

// After a quick stream a far goal is flown to at the goals' speed, not at the stream's.
TEST(GoalPath, AFastStartSlowsDown) {
  const GoalLimits limits;
  Reference from;
  from.v_WB = {0.0, 8.0, 1.0};
  const GoalPath path(from, 0, {200.0, 0.0, 0.0}, 0.0, limits);
  const Peaks peaks = peaksOf(path, 0);
  EXPECT_LE(peaks.speed, 1.02 * from.v_WB.norm());
  EXPECT_LE(peaks.acceleration, limits.acceleration);
  EXPECT_NEAR(path.at(path.end() / 2).v_WB.norm(), limits.speed, 0.01);
  EXPECT_LT((path.at(path.end()).p_WB - Vector3d(200.0, 0.0, 0.0)).norm(), 1e-9);
}

TEST(GoalPath, TurnsTheShorterWay) {
  Reference from;
  from.yaw = 3.0;
  const GoalPath path(from, 0, Vector3d::Zero(), -3.0, GoalLimits{});
  EXPECT_LT(toSeconds(path.end()), 1.0);
  EXPECT_NEAR(path.at(path.end()).yaw, -3.0, 1e-9);
  EXPECT_GT(std::abs(path.at(path.end() / 2).yaw), 3.0);
}

TEST(GoalPath, AGoalThatIsReachedAlreadyIsHeld) {
  const GoalPath path(Reference{}, 0, Vector3d::Zero(), 0.0, GoalLimits{});
  EXPECT_LT(toSeconds(path.end()), 0.1);
  EXPECT_EQ(path.at(path.end() / 2).p_WB, Vector3d::Zero());
}

KinematicState stateAt(TimeNs stamp) {
  KinematicState state;
  state.stamp = stamp;
  state.X_WB.p = {1.0, 2.0, 3.0};
  state.X_WB.q = fromRollPitchYaw(0.1, 0.2, 0.7);
  return state;
}

TEST(Commander, HoldsThePlaceWhereItBegan) {
  Commander commander(GoalLimits{});
  commander.reference(stateAt(0));
  KinematicState drifted = stateAt(kNsPerSecond);
  drifted.X_WB.p.x() += 0.5;
  const Reference held = commander.reference(drifted);
  EXPECT_EQ(held.p_WB, Vector3d(1.0, 2.0, 3.0));
  EXPECT_NEAR(held.yaw, 0.7, 1e-12);
  EXPECT_FALSE(commander.commanded());
}

TEST(Commander, FliesToGoalsAlsoSetBeforeTheFirstState) {
  Commander commander(GoalLimits{});
  commander.setGoal({5.0, 2.0, 3.0}, 0.0, 0);
  EXPECT_TRUE(commander.commanded());
  EXPECT_EQ(commander.reference(stateAt(0)).p_WB, Vector3d(1.0, 2.0, 3.0));
  const Reference midway = commander.reference(stateAt(2 * kNsPerSecond));
  EXPECT_GT(midway.p_WB.x(), 1.5);
  // A new goal on the way goes on from the present motion.
  commander.setGoal({1.0, 9.0, 3.0}, 0.0, 2 * kNsPerSecond);
  const Reference after = commander.reference(stateAt(2 * kNsPerSecond));
  EXPECT_LT((after.p_WB - midway.p_WB).norm() + (after.v_WB - midway.v_WB).norm() +
                (after.a_WB - midway.a_WB).norm(),
            1e-9);
  EXPECT_LT((commander.reference(stateAt(60 * kNsPerSecond)).p_WB - Vector3d(1, 9, 3)).norm(),
            1e-9);
  commander.reset();
  EXPECT_FALSE(commander.commanded());
  EXPECT_EQ(commander.reference(stateAt(61 * kNsPerSecond)).p_WB, Vector3d(1.0, 2.0, 3.0));
}

TEST(Commander, HoldsWhenTheStreamStops) {
  Commander commander(GoalLimits{});
  Reference reference;
  reference.p_WB = {4.0, 5.0, 6.0};
  commander.setReference(reference, 0);
  EXPECT_EQ(commander.reference(stateAt(10 * kNsPerSecond)).p_WB, reference.p_WB);

  reference.v_WB = {2.0, 0.0, 0.0};
  reference.yaw_rate = 1.0;
  commander.setReference(reference, 10 * kNsPerSecond);
  const TimeNs start = 10 * kNsPerSecond, step = 1'000'000;
  Reference last = commander.reference(stateAt(start));
  EXPECT_EQ(last.p_WB, reference.p_WB);
  for (int i = 1; i <= 700; ++i) {
    const Reference now = commander.reference(stateAt(start + i * step));
    EXPECT_NEAR((now.p_WB - last.p_WB).x(), 0.0005 * (now.v_WB + last.v_WB).x(), 1e-5);
    EXPECT_NEAR(now.yaw - last.yaw, 0.0005 * (now.yaw_rate + last.yaw_rate), 1e-5);
    if (i <= 100) {
      EXPECT_NEAR(now.v_WB.x(), 2.0, 1e-9) << "carried on";
    }
    last = now;
  }
  EXPECT_EQ(last.v_WB, Vector3d::Zero());
  EXPECT_EQ(last.yaw_rate, 0.0);
  // 0.1 s at full speed, then 0.4 s at half of it in the mean.
  EXPECT_NEAR(last.p_WB.x(), 4.0 + 2.0 * 0.1 + 1.0 * 0.4, 1e-6);
}

}  // namespace
}  // namespace marsim::control
