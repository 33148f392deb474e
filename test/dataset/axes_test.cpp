// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/axes.hpp"

#include <gtest/gtest.h>

namespace marsim::dataset {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

const Matrix3d kNedOfEnu = (Matrix3d() << 0, 1, 0, 1, 0, 0, 0, 0, -1).finished();
const Matrix3d kFlip = Vector3d(1, -1, -1).asDiagonal();

Pose somePose() { return {fromRollPitchYaw(0.2, -0.4, 2.5), {1.0, -2.0, 3.0}}; }

TEST(Axes, EastIsTheSecondOfNorthEastDown) {
  EXPECT_EQ(inWorld(Axes::kNed, Vector3d(1, 2, 3)), Vector3d(2, 1, -3));
  EXPECT_EQ(inWorld(Axes::kEnu, Vector3d(1, 2, 3)), Vector3d(1, 2, 3));
  EXPECT_EQ(inSensor(Axes::kNed, Vector3d(1, 2, 3)), Vector3d(1, -2, -3));
}

TEST(Axes, ABodyThatLooksEastHasAYawOfARightAngleFromNorth) {
  const Pose pose = sensorInWorld(Axes::kNed, Pose());
  EXPECT_NEAR(toRollPitchYaw(pose.q).z(), std::acos(0.0), 1e-12);
  EXPECT_NEAR(toRollPitchYaw(pose.q).x(), 0.0, 1e-12);
}

TEST(Axes, PosesTurnAsTheirMatricesDo) {
  const Pose X_WB = somePose();
  const Pose ned = sensorInWorld(Axes::kNed, X_WB);
  const Matrix3d expected = kNedOfEnu * X_WB.q.toRotationMatrix() * kFlip;
  EXPECT_TRUE(ned.q.toRotationMatrix().isApprox(expected, 1e-12));
  EXPECT_GE(ned.q.w(), 0.0);
  const Pose between = sensorInSensor(Axes::kNed, X_WB);
  EXPECT_TRUE(
      between.q.toRotationMatrix().isApprox(kFlip * X_WB.q.toRotationMatrix() * kFlip, 1e-12));
  EXPECT_EQ(between.p, kFlip * X_WB.p);
}

TEST(Axes, ChainsOfPosesStayChains) {
  const Pose X_WB = somePose(), X_BS{fromRollPitchYaw(-1.0, 0.3, 0.7), {0.1, 0.2, -0.3}};
  const Pose chained = sensorInWorld(Axes::kNed, X_WB) * sensorInSensor(Axes::kNed, X_BS);
  const Pose whole = sensorInWorld(Axes::kNed, X_WB * X_BS);
  EXPECT_TRUE(chained.p.isApprox(whole.p, 1e-12));
  EXPECT_NEAR(std::abs(chained.q.dot(whole.q)), 1.0, 1e-12);
}

}  // namespace
}  // namespace marsim::dataset
