// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/control/pose_follower.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "control/loops/cascaded_pid.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/control/commander.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/sim/world.hpp"
#include "marsim/vehicle/quadrotor.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

constexpr TimeNs kStep = 2'000'000;

KinematicState stateAt(TimeNs stamp) {
  KinematicState state;
  state.stamp = stamp;
  return state;
}

// 1 - e^(-w t) (1 + w t + (w t)^2 / 2), the step response of (w / (s + w))^3.
double tripleLag(double t) {
  const double x = PoseFollower::kFrequency * t;
  return 1.0 - std::exp(-x) * (1.0 + x + 0.5 * x * x);
}

TEST(PoseFollower, NearTargetsAreReachedAsByATripleLag) {
  PoseFollower follower(Reference{}, 0, GoalLimits{});
  follower.setTarget({0.02, -0.04, 0.01}, 0.05);
  for (int i = 1; i <= 1000; ++i) {
    const Reference& r = follower.advance(i * kStep);
    const double share = tripleLag(toSeconds(i * kStep));
    ASSERT_NEAR(r.p_WB.y(), -0.04 * share, 4e-4) << i;
    ASSERT_NEAR(r.yaw, 0.05 * share, 5e-4) << i;
  }
}

// The target leaps anywhere at any time: the reference is the integral of its own velocity and
// acceleration, and keeps the limits (to what the lag of the acceleration lets through).
TEST(PoseFollower, LeapingTargetsAreFollowedWithinTheLimits) {
  RandomStream random(5);
  const GoalLimits limits;
  PoseFollower follower(Reference{}, 0, limits);
  Reference last = follower.advance(0);
  for (int i = 1; i <= 30'000; ++i) {
    if (i % 700 == 1) {
      const double reach = i % 3 == 0 ? 30.0 : 1.0;
      follower.setTarget(reach * Vector3d(random.normal(), random.normal(), random.normal()),
                         random.uniform(-10.0, 10.0));
    }
    const Reference now = follower.advance(i * kStep);
    ASSERT_LT((now.p_WB - last.p_WB - 0.001 * (now.v_WB + last.v_WB)).norm(), 1e-5);
    ASSERT_LT((now.v_WB - last.v_WB).norm(), 1.001 * limits.acceleration * 0.002);
    ASSERT_LT((now.a_WB - last.a_WB).norm(), 0.2);
    ASSERT_LT(now.v_WB.norm(), 1.02 * limits.speed);
    ASSERT_LT(std::abs(now.yaw_rate), 1.1 * limits.yaw_rate);
    ASSERT_LE(std::abs(now.yaw), kPi + 1e-9);
    last = now;
  }
}

TEST(PoseFollower, ArrivesWithoutOvershootAndTurnsTheShorterWay) {
  for (const double distance : {0.1, 0.5, 1.0, 3.0, 20.0}) {
    Reference from;
    from.yaw = 3.0;
    PoseFollower follower(from, 0, GoalLimits{});
    follower.setTarget({distance, 0.0, 0.0}, -3.0);
    double farthest = 0.0, least_turn = 4.0;
    Reference r;
    for (int i = 1; i <= 10'000; ++i) {
      r = follower.advance(i * kStep);
      farthest = std::max(farthest, r.p_WB.x());
      least_turn = std::min(least_turn, std::abs(r.yaw));
    }
    EXPECT_LT(farthest, 1.002 * distance);
    EXPECT_GT(least_turn, 2.99) << "through pi";
    EXPECT_NEAR(r.p_WB.x(), distance, 1e-6);
    EXPECT_NEAR(r.yaw, -3.0, 1e-6);
    EXPECT_LT(r.v_WB.norm() + r.a_WB.norm(), 1e-6);
  }
}

// A fast stream of set points that run away from it is followed at a constant lag.
TEST(PoseFollower, StreamsAreFollowed) {
  Commander commander(GoalLimits{});
  commander.reference(stateAt(0));
  constexpr double kSpeed = 0.6;  // [m/s]
  double lag = 0.0;
  for (int i = 1; i <= 2500; ++i) {
    const TimeNs now = i * kStep;
    const double target = kSpeed * toSeconds(now);
    if (i % 10 == 0) commander.setPose({target, 0.0, 0.0}, 0.0, now);
    const Reference r = commander.reference(stateAt(now));
    ASSERT_LT(r.v_WB.norm(), 1.05 * kSpeed);
    lag = target - r.p_WB.x();
  }
  // 3 / w behind a ramp, and the set points are 20 ms old at most.
  EXPECT_NEAR(lag, kSpeed * 3.0 / PoseFollower::kFrequency, 0.021 * kSpeed);
}

// RotorS: the first point at once, the others by their times; a new message takes the place of
// the old one's points.
TEST(Commander, TrajectoryPointsAreSetWhenTheirTimeHasCome) {
  Commander commander(GoalLimits{});
  const TimeNs start = kNsPerSecond;
  commander.reference(stateAt(start));
  std::vector<TrajectoryPoint> points(4);
  for (int i = 0; i < 4; ++i) {
    auto& point = points[static_cast<std::size_t>(i)];
    point.after = i * kNsPerSecond;
    point.reference.p_WB.x() = 10.0 * (i + 1);
  }
  commander.setTrajectory(points, start);
  EXPECT_TRUE(commander.commanded());
  const auto x = [&](double seconds) {
    return commander.reference(stateAt(start + toNs(seconds))).p_WB.x();
  };
  EXPECT_EQ(x(0.0), 10.0);
  EXPECT_EQ(x(0.999), 10.0);
  EXPECT_EQ(x(1.0), 20.0);
  EXPECT_EQ(x(2.5), 30.0);
  points.resize(2);
  points[0].reference.p_WB.x() = -1.0;
  points[1].reference.p_WB.x() = -2.0;
  commander.setTrajectory(points, start + toNs(2.5));
  EXPECT_EQ(x(2.5), -1.0);
  EXPECT_EQ(x(3.2), -1.0) << "what waited of the old message is forgotten";
  EXPECT_EQ(x(3.5), -2.0);
  EXPECT_EQ(x(60.0), -2.0) << "held";

  commander.setTrajectory(points, start + toNs(60.0));
  commander.setGoal({-1.0, 0.0, 0.0}, 0.0, start + toNs(60.0));
  EXPECT_EQ(x(70.0), -1.0) << "any newer command clears the queue";
}

// A point that moves is carried on with all that is known of it, the jerk included.
TEST(Commander, TheStreamIsCarriedOnByItsJerk) {
  Commander commander(GoalLimits{});
  Reference r;
  r.v_WB.x() = 1.0;
  r.a_WB.x() = 2.0;
  r.j_WB.x() = 3.0;
  commander.setReference(r, 0);
  const Reference later = commander.reference(stateAt(toNs(0.05)));
  EXPECT_NEAR(later.p_WB.x(), 0.05 + 0.0025 + 0.5 * 0.000125, 1e-12);
  EXPECT_NEAR(later.v_WB.x(), 1.0 + 0.1 + 1.5 * 0.0025, 1e-12);
  EXPECT_NEAR(later.a_WB.x(), 2.15, 1e-12);
}

// A set point far away neither tilts the vehicle much nor makes it overshoot.
TEST(PoseFollower, VehiclesTakeLeapsCalmly) {
  for (const vehicle::VehicleConfig& config : vehicle::allVehicles()) {
    vehicle::Quadrotor quadrotor(config);
    quadrotor.reset({0.0, 0.0, 10.0}, 0.0);
    CascadedPid controller(ControllerConfig{}, sim::vehicleModel(config));
    Commander commander(GoalLimits{});
    commander.reference(quadrotor.state());
    commander.setPose({8.0, -3.0, 11.0}, 2.0, 0);
    double tilt = 0.0, overshoot = 0.0;
    for (int i = 0; i < 12'000; ++i) {
      const KinematicState& state = quadrotor.state();
      if (i % 2 == 0) quadrotor.command(controller.update(state, commander.reference(state)));
      quadrotor.step(1'000'000);
      tilt = std::max(tilt, std::acos((state.X_WB.q * Vector3d::UnitZ()).z()));
      overshoot = std::max(overshoot, state.X_WB.p.x() - 8.0);
    }
    EXPECT_LT(tilt, 0.35) << config.name;
    EXPECT_LT(overshoot, 0.1) << config.name;
    EXPECT_LT((quadrotor.state().X_WB.p - Vector3d(8.0, -3.0, 11.0)).norm(), 0.02) << config.name;
    EXPECT_NEAR(yawOf(quadrotor.state().X_WB.q), 2.0, 0.02) << config.name;
  }
}

}  // namespace
}  // namespace marsim::control
