// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/geometry/kinematic_state.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace marsim {
namespace {

// A smooth motion with known derivatives: position on a Lissajous curve of up to 12 m/s^2, attitude
// turning about a fixed, tilted axis by 0.8 sin(4 t) rad.
struct Motion {
  const Eigen::Vector3d axis = Eigen::Vector3d(1.0, 2.0, -0.5).normalized();

  KinematicState at(TimeNs stamp) const {
    const double t = toSeconds(stamp);
    KinematicState state;
    state.stamp = stamp;
    state.X_WB.p = {3.0 * std::sin(2.0 * t), std::cos(3.0 * t), 0.5 * std::sin(t)};
    state.v_WB = {6.0 * std::cos(2.0 * t), -3.0 * std::sin(3.0 * t), 0.5 * std::cos(t)};
    state.X_WB.q = expMap(axis * 0.8 * std::sin(4.0 * t));
    state.w_WB_B = axis * 3.2 * std::cos(4.0 * t);
    return state;
  }
};

TEST(InterpolatePose, WithinTenthOfMillimetreOfTheMotionAt500Hz) {
  const Motion motion;
  const TimeNs step = periodNs(500.0);
  for (int i = 0; i < 500; ++i) {
    const KinematicState a = motion.at(i * step), b = motion.at((i + 1) * step);
    for (const double share : {0.0, 0.21, 0.5, 0.83, 1.0}) {
      const TimeNs t = a.stamp + static_cast<TimeNs>(share * static_cast<double>(step));
      const Pose expected = motion.at(t).X_WB;
      const Pose pose = interpolatePose(a, b, t);
      EXPECT_LT((pose.p - expected.p).norm(), 1e-4);
      EXPECT_LT(logMap(pose.q.conjugate() * expected.q).norm(), 1e-4);
    }
  }
}

// The error of a cubic spline falls with the fourth power of the step: checks the end rates too.
TEST(InterpolatePose, IsOfFourthOrder) {
  const Motion motion;
  const auto errorOf = [&](TimeNs step) {
    const Pose pose = interpolatePose(motion.at(0), motion.at(step), step / 2);
    const Pose expected = motion.at(step / 2).X_WB;
    return (pose.p - expected.p).norm() + logMap(pose.q.conjugate() * expected.q).norm();
  };
  EXPECT_GT(errorOf(40'000'000) / errorOf(20'000'000), 12.0);
}

TEST(StateHistory, LooksUpAndForgets) {
  const Motion motion;
  StateHistory history;
  for (int i = 0; i <= 100; ++i) EXPECT_TRUE(history.push(motion.at(i * 2'000'000)));
  EXPECT_FALSE(history.push(motion.at(5'000'000))) << "older than the newest";
  EXPECT_TRUE(history.covers(0, 200'000'000));
  EXPECT_FALSE(history.covers(0, 200'000'001));
  EXPECT_LT((history.poseAt(101'300'000).p - motion.at(101'300'000).X_WB.p).norm(), 1e-4);
  history.discardBefore(101'000'000);
  EXPECT_EQ(history.front().stamp, 100'000'000);
  EXPECT_TRUE(history.covers(101'000'000, 200'000'000));
}

}  // namespace
}  // namespace marsim
