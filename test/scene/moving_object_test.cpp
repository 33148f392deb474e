// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/moving_object.hpp"

#include <gtest/gtest.h>

#include "marsim/scene/vegetation.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

TEST(Identity, HasANameForPeople) {
  EXPECT_EQ(identityName(kMapIdentity), "map");
  EXPECT_EQ(identityName(3), "uav 3");
  EXPECT_EQ(identityName(kFirstObstacleIdentity + 17), "obstacle 17");
  EXPECT_EQ(identityName(kFirstPlantIdentity + 5), "plant 5");
}

TEST(MovingObject, FollowsAnAcceleratedPathBetweenItsPoses) {
  const Vector3d v(5.0, -2.0, 1.0), a(6.0, 0.0, 8.0);
  const TimeNs begin = 12 * kNsPerSecond, end = begin + kNsPerSecond / 9;
  const auto poseAt = [&](TimeNs stamp) {
    const double t = toSeconds(stamp);
    return Pose{Eigen::Quaterniond::Identity(), t * v + 0.5 * t * t * a};
  };
  const MovingObject object = movingObject(nullptr, 7, begin, end, poseAt);
  EXPECT_EQ(object.identity, 7U);
  for (TimeNs t = begin; t <= end; t += 1'234'567) {
    const Vector3d error = object.at(toSeconds(t - begin)).p - poseAt(t).p;
    EXPECT_LT(error.norm(), 1.3e-4);  // a dt^2 / 8
  }
}

TEST(MovingObject, AnInstantHasOnePose) {
  const auto poseAt = [](TimeNs) { return Pose{}; };
  EXPECT_EQ(movingObject(nullptr, 1, 5, 5, poseAt).X_WM.size(), 1U);
}

}  // namespace
}  // namespace marsim::scene
