// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/control/velocity_follower.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/random.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

constexpr TimeNs kStep = 2'000'000;
const VelocityLimits kLimits{3.0, 2.0, 1.5};

// 1 - e^(-w t) (1 + w t), the step response of (w / (s + w))^2.
TEST(VelocityFollower, SmallChangesAreFollowedAsByADoubleLag) {
  VelocityFollower follower({}, 0, kLimits);
  follower.setTarget({{0.1, -0.2, 0.05}, 0.0, false});
  for (int i = 1; i <= 1000; ++i) {
    const double x = VelocityFollower::kFrequency * toSeconds(i * kStep);
    ASSERT_NEAR(follower.advance(i * kStep).v_WB.y(), -0.2 * (1.0 - std::exp(-x) * (1.0 + x)), 2e-3)
        << i;
  }
}

// The target leaps at any time: the reference is the integral of its own velocity and acceleration
// and keeps the limits.
TEST(VelocityFollower, LeapingTargetsAreFollowedWithinTheLimits) {
  RandomStream random(3);
  VelocityFollower follower({}, 0, kLimits);
  Reference last;
  for (int i = 1; i <= 30'000; ++i) {
    if (i % 400 == 1) {
      follower.setTarget({5.0 * Vector3d(random.normal(), random.normal(), random.normal()),
                          random.uniform(-3.0, 3.0), i % 800 == 1});
    }
    const Reference now = follower.advance(i * kStep);
    ASSERT_LT((now.p_WB - last.p_WB - 0.001 * (now.v_WB + last.v_WB)).norm(), 1e-6);
    ASSERT_LT((now.v_WB - last.v_WB).norm(), 1.001 * kLimits.acceleration * 0.002);
    ASSERT_LT((now.a_WB - last.a_WB).norm(), 0.2);
    ASSERT_LT(now.v_WB.norm(), 1.01 * kLimits.speed);
    ASSERT_LE(std::abs(now.yaw_rate), kLimits.yaw_rate);
    last = now;
  }
}

TEST(VelocityFollower, SpeedsUpAndBrakesWithoutOvershoot) {
  VelocityFollower follower({}, 0, kLimits);
  follower.setTarget({{2.5, 0.0, 0.0}, 0.0, false});
  for (int i = 1; i <= 3000; ++i) ASSERT_LE(follower.advance(i * kStep).v_WB.x(), 2.5 + 1e-9);
  EXPECT_NEAR(follower.reference().v_WB.x(), 2.5, 1e-6);
  const double braking_from = follower.reference().p_WB.x();
  follower.setTarget({});
  for (int i = 3001; i <= 6000; ++i) ASSERT_GE(follower.advance(i * kStep).v_WB.x(), -1e-9);
  // v^2 / 2a and what the lag adds at either end.
  const double way = follower.reference().p_WB.x() - braking_from;
  EXPECT_GT(way, 2.5 * 2.5 / (2.0 * kLimits.acceleration));
  EXPECT_LT(way, 2.5 * 2.5 / (2.0 * kLimits.acceleration) + 2.5 * 2.0 / kLimits.acceleration / 6.0);
  EXPECT_TRUE(follower.isAtRest());
}

// Forward and turning: a circle of radius v / w to the left, begun with the start's yaw.
TEST(VelocityFollower, HeadingFrameTurnsWithTheYaw) {
  Reference from;
  from.yaw = 1.0;
  VelocityFollower follower(from, 0, kLimits);
  follower.setTarget({{1.0, 0.0, 0.2}, 0.0, true});
  follower.advance(kStep);
  for (int i = 2; i <= 1000; ++i) follower.advance(i * kStep);
  EXPECT_NEAR((follower.reference().v_WB - Vector3d(std::cos(1.0), std::sin(1.0), 0.2)).norm(), 0.0,
              1e-5);
  follower.setTarget({{1.0, 0.0, 0.0}, 0.5, true});
  for (int i = 1001; i <= 3000; ++i) follower.advance(i * kStep);
  const Reference begin = follower.reference();
  const Vector3d left(-std::sin(begin.yaw), std::cos(begin.yaw), 0.0);
  const Vector3d centre = begin.p_WB + 2.0 * left;
  for (int i = 3001; i <= 9000; ++i) {
    const Reference& r = follower.advance(i * kStep);
    ASSERT_NEAR((r.p_WB - centre).norm(), 2.0, 0.05);
    ASSERT_NEAR(r.v_WB.norm(), 1.0, 0.01);
    ASSERT_NEAR(r.yaw_rate, 0.5, 1e-6);
  }
}

}  // namespace
}  // namespace marsim::control
