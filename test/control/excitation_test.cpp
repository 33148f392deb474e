// SPDX-License-Identifier: BSD-3-Clause
#include "control/paths/excitation.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "marsim/geometry/pose.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

const Vector3d kPlace(1.0, -2.0, 3.0);

TEST(Excitation, DerivativesAreThoseOfItsPositions) {
  const Excitation excitation(kPlace, 0.5, 10.0);
  const double h = 1e-4;
  for (double t = 0.01; t < Excitation::kDuration - 0.01; t += 0.037) {
    const Reference before = excitation.at(t - h), now = excitation.at(t),
                    after = excitation.at(t + h);
    ASSERT_LT(((after.p_WB - before.p_WB) / (2 * h) - now.v_WB).norm(), 1e-5) << t;
    ASSERT_LT(((after.v_WB - before.v_WB) / (2 * h) - now.a_WB).norm(), 1e-5) << t;
    ASSERT_LT(((after.a_WB - before.a_WB) / (2 * h) - now.j_WB).norm(), 1e-4) << t;
    ASSERT_NEAR(wrapAngle(after.yaw - before.yaw) / (2 * h), now.yaw_rate, 1e-5) << t;
  }
}

TEST(Excitation, BeginsAndEndsAtRestWithoutAcceleration) {
  const Excitation excitation(kPlace, 0.5, 10.0);
  for (const double t : {-1.0, 1e-9, Excitation::kDuration - 1e-9, Excitation::kDuration + 1.0}) {
    const Reference reference = excitation.at(t);
    EXPECT_LT((reference.p_WB - kPlace).norm(), 1e-6) << t;
    EXPECT_LT(reference.v_WB.norm() + reference.a_WB.norm(), 1e-6) << t;
    EXPECT_NEAR(reference.yaw, 0.5, 1e-6);
  }
}

// No axis can be told from the others by an IMU whose samples move together.
TEST(Excitation, MovesEveryAxisByItself) {
  const Excitation excitation(kPlace, 0.0, 10.0);
  Eigen::Matrix4d moments = Eigen::Matrix4d::Zero();
  for (double t = 0.0; t < Excitation::kDuration; t += 0.005) {
    const Reference r = excitation.at(t);
    const Eigen::Vector4d felt(r.a_WB.x(), r.a_WB.y(), r.a_WB.z(), r.yaw_rate);
    moments += felt * felt.transpose() * 0.005 / Excitation::kDuration;
  }
  const Eigen::Vector4d rms = moments.diagonal().cwiseSqrt();
  EXPECT_GT(rms.x(), 1.0);  // [m/s^2]
  EXPECT_GT(rms.y(), 1.0);
  EXPECT_GT(rms.z(), 0.8);
  EXPECT_GT(rms.w(), 0.4);  // [rad/s]
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) {
      EXPECT_LT(std::abs(moments(i, j)), 0.4 * rms(i) * rms(j)) << i << j;
    }
  }
}

TEST(Excitation, StaysInTheRoomThereIs) {
  for (const double room : {0.0, 0.1, 10.0}) {
    const Excitation excitation(kPlace, 0.0, room);
    double farthest = 0.0;
    for (double t = 0.0; t < Excitation::kDuration; t += 0.005) {
      farthest = std::max(farthest, (excitation.at(t).p_WB - kPlace).norm());
    }
    EXPECT_LE(farthest, std::min(room, Excitation::kReach));
    EXPECT_GE(farthest, 0.5 * std::min(room, Excitation::kReach));
  }
}

}  // namespace
}  // namespace marsim::control
