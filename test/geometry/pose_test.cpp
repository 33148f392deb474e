// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/geometry/pose.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"

namespace marsim {
namespace {

Eigen::Vector3d randomVector(RandomStream& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

TEST(Pose, ComposesAndInvertsLikeMatrices) {
  RandomStream random(1);
  for (int i = 0; i < 100; ++i) {
    const Pose X_AB{expMap(randomVector(random, 2.0)), randomVector(random, 5.0)};
    const Pose X_BC{expMap(randomVector(random, 2.0)), randomVector(random, 5.0)};
    Eigen::Isometry3d A = Eigen::Translation3d(X_AB.p) * X_AB.q;
    Eigen::Isometry3d B = Eigen::Translation3d(X_BC.p) * X_BC.q;
    const Eigen::Vector3d p = randomVector(random, 3.0);
    EXPECT_TRUE(((X_AB * X_BC) * p).isApprox(A * (B * p), 1e-12));
    EXPECT_TRUE((X_AB.inverse() * (X_AB * p)).isApprox(p, 1e-12));
  }
}

TEST(RollPitchYaw, RoundTripAndAxes) {
  RandomStream random(2);
  for (int i = 0; i < 100; ++i) {
    const Eigen::Vector3d rpy(random.uniform(-3.1, 3.1), random.uniform(-1.5, 1.5),
                              random.uniform(-3.1, 3.1));
    EXPECT_TRUE(toRollPitchYaw(fromRollPitchYaw(rpy.x(), rpy.y(), rpy.z())).isApprox(rpy, 1e-9));
  }
  const Eigen::Vector3d x = fromRollPitchYaw(0.0, 0.0, radians(90)) * Eigen::Vector3d::UnitX();
  EXPECT_TRUE(x.isApprox(Eigen::Vector3d::UnitY(), 1e-12));
  EXPECT_NEAR(yawOf(fromRollPitchYaw(0.2, 0.0, 1.1)), 1.1, 1e-12);
}

TEST(ExpLog, AreInverse) {
  RandomStream random(3);
  for (int i = 0; i < 200; ++i) {
    const Eigen::Vector3d phi = randomVector(random, i < 100 ? 1.7 : 1e-7);
    EXPECT_TRUE(logMap(expMap(phi)).isApprox(phi, 1e-9));
  }
  EXPECT_TRUE(logMap(expMap(Eigen::Vector3d::Zero())).isZero());
}

TEST(WrapAngle, StaysWithinHalfATurn) {
  EXPECT_NEAR(std::abs(wrapAngle(3.0 * kPi)), kPi, 1e-9);
  EXPECT_NEAR(wrapAngle(-0.5 - 4.0 * kPi), -0.5, 1e-9);
}

}  // namespace
}  // namespace marsim
