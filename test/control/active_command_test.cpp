// SPDX-License-Identifier: BSD-3-Clause
// A commander that takes up what another one followed goes on with the same references, to the last
// bit: the one that was never interrupted says which.
#include <gtest/gtest.h>

#include "marsim/common/random.hpp"
#include "marsim/control/commander.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

constexpr TimeNs kStep = Commander::kReplayStep;
const GoalLimits kLimits{3.0, 2.5, 1.5};

KinematicState stateAt(TimeNs stamp) {
  KinematicState state;
  state.stamp = stamp;
  state.X_WB.p = {1.0, 2.0, 3.0};
  return state;
}

void expectSame(const Reference& a, const Reference& b, TimeNs stamp) {
  EXPECT_EQ(a.p_WB, b.p_WB) << stamp;
  EXPECT_EQ(a.v_WB, b.v_WB) << stamp;
  EXPECT_EQ(a.a_WB, b.a_WB) << stamp;
  EXPECT_EQ(a.j_WB, b.j_WB) << stamp;
  EXPECT_EQ(a.yaw, b.yaw) << stamp;
  EXPECT_EQ(a.yaw_rate, b.yaw_rate) << stamp;
}

class ActiveCommandTest : public testing::Test {
 protected:
  ActiveCommandTest() { flyOn(0.1); }

  void flyOn(double seconds) {
    for (const TimeNs end = now_ + toNs(seconds); now_ < end;) {
      now_ += kStep;
      commander_.reference(stateAt(now_));
    }
  }
  // Another one takes up what was followed when `told`, and both fly on from now.
  void expectResumed(const ActiveCommand& told, double seconds) {
    Commander other(kLimits);
    other.resume(told, now_);
    EXPECT_TRUE(other.commanded());
    for (const TimeNs end = now_ + toNs(seconds); now_ < end && !HasFailure();) {
      now_ += kStep;
      expectSame(other.reference(stateAt(now_)), commander_.reference(stateAt(now_)), now_);
    }
  }
  Vector3d draw(double scale) {
    return scale * Vector3d(random_.normal(), random_.normal(), random_.normal());
  }
  Reference drawReference() {
    Reference r;
    r.p_WB = draw(3.0);
    r.v_WB = draw(1.0);
    r.a_WB = draw(1.0);
    r.j_WB = draw(1.0);
    r.yaw = random_.uniform(-3.0, 3.0);
    r.yaw_rate = random_.normal();
    return r;
  }

  RandomStream random_{7};
  Commander commander_{kLimits};
  TimeNs now_ = 12 * kNsPerSecond;
};

TEST_F(ActiveCommandTest, GoalsAreFlownToOnTheSamePath) {
  for (int i = 0; i < 10; ++i) {
    // The first from rest, the others from wherever the flight is by then.
    commander_.setGoal(draw(4.0), random_.uniform(-3.0, 3.0), now_);
    const ActiveCommand told = commander_.active();
    EXPECT_EQ(told.kind, ActiveCommand::Kind::kGoal);
    EXPECT_EQ(told.stamp, now_);
    flyOn(random_.uniform(0.0, 2.0));
    expectResumed(told, i < 9 ? 0.5 : 20.0);
  }
}

TEST_F(ActiveCommandTest, AStreamIsCarriedOnAndFades) {
  commander_.setReference(drawReference(), now_);
  const ActiveCommand told = commander_.active();
  EXPECT_EQ(told.kind, ActiveCommand::Kind::kState);
  flyOn(0.05);
  expectResumed(told, 1.0);
}

TEST_F(ActiveCommandTest, SetPointsAreReachedAlike) {
  commander_.setReference(drawReference(), now_);
  flyOn(0.05);
  commander_.setPose(draw(4.0), 2.0, now_);
  flyOn(0.3);
  commander_.setPose(draw(1.0), -2.0, now_);  // with motion from the one before
  const ActiveCommand told = commander_.active();
  EXPECT_EQ(told.kind, ActiveCommand::Kind::kPose);
  flyOn(0.7);
  expectResumed(told, 2.0);
}

TEST_F(ActiveCommandTest, ASetPointReachedLongAgoIsMet) {
  const Vector3d target = draw(2.0);
  commander_.setPose(target, 2.0, now_);
  const ActiveCommand told = commander_.active();
  now_ += 100'000 * kNsPerSecond;
  Commander other(kLimits);
  other.resume(told, now_);
  EXPECT_LT((other.reference(stateAt(now_)).p_WB - target).norm(), 1e-5);
}

TEST_F(ActiveCommandTest, PointsThatWaitAreSetInTime) {
  std::vector<TrajectoryPoint> points(8);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].after = toNs(0.3333 * static_cast<double>(i));  // between two states
    points[i].reference = drawReference();
    points[i].moves = i % 3 != 1;
  }
  commander_.setTrajectory(points, now_);
  const ActiveCommand told = commander_.active();
  EXPECT_EQ(told.waiting.size(), 7U);
  flyOn(1.1);
  expectResumed(told, 4.0);
  // Likewise from the middle of the trajectory.
  commander_.setTrajectory(points, now_);
  flyOn(0.7);
  EXPECT_EQ(commander_.active().waiting.size(), 5U);
  expectResumed(commander_.active(), 4.0);
}

TEST_F(ActiveCommandTest, OneThatWasNeverCommandedIsNot) {
  EXPECT_EQ(commander_.active().kind, ActiveCommand::Kind::kNone);
  Commander other(kLimits);
  other.resume(commander_.active(), now_);
  EXPECT_FALSE(other.commanded());
  EXPECT_EQ(other.reference(stateAt(now_)).p_WB, Vector3d(1.0, 2.0, 3.0));
}

TEST_F(ActiveCommandTest, NewerCommandsTakeItsPlace) {
  commander_.setGoal({9.0, 0.0, 3.0}, 0.0, now_);
  Commander other(kLimits);
  other.resume(commander_.active(), now_);
  other.setGoal({1.0, 8.0, 3.0}, 0.0, now_);
  EXPECT_EQ(other.active().target_p_WB, Vector3d(1.0, 8.0, 3.0));
  EXPECT_LT((other.reference(stateAt(now_ + 60 * kNsPerSecond)).p_WB - Vector3d(1, 8, 3)).norm(),
            1e-9);
}

}  // namespace
}  // namespace marsim::control
