// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/units.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/scene/obstacles.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

Obstacles obstaclesOf(const ObstacleGroup& group) {
  ObstaclesConfig config;
  config.groups = {group};
  config.groups[0].name = "obstacle";
  return {config, {}, "test"};
}

TEST(ObstacleTrack, PathsGoFromCornerToCorner) {
  ObstacleGroup path = usualGroup(ObstacleKind::kWaypoints);
  path.points = {{0.0, 0.0, 1.0}, {4.0, 0.0, 1.0}, {4.0, 3.0, 2.0}};
  path.speed_min = path.speed_max = 2.0;
  const double first = 4.0, second = std::sqrt(10.0), back = std::sqrt(26.0);
  for (const bool loop : {true, false}) {
    path.loop = loop;
    const Obstacles obstacles = obstaclesOf(path);
    EXPECT_NEAR((obstacles.poseAt(0, 0).p - path.points[0]).norm(), 0.0, 1e-9);
    EXPECT_NEAR((obstacles.poseAt(0, toNs(1.0)).p - Vector3d(2.0, 0.0, 1.0)).norm(), 0.0, 1e-6);
    const double end = (first + second) / 2.0;
    EXPECT_NEAR((obstacles.poseAt(0, toNs(end)).p - path.points[2]).norm(), 0.0, 1e-6);
    const double period = loop ? (first + second + back) / 2.0 : first + second;
    const Vector3d later = obstacles.poseAt(0, toNs(1.0 + 1000.0 * period)).p;
    EXPECT_NEAR((later - Vector3d(2.0, 0.0, 1.0)).norm(), 0.0, 1e-4);
  }
}

TEST(ObstacleTrack, OrbitsAreCirclesInTheirRegion) {
  ObstacleGroup orbit = usualGroup(ObstacleKind::kOrbit);
  orbit.number = 3;
  orbit.region = {Vector3d(-10.0, -8.0, 0.0), Vector3d(10.0, 8.0, 6.0)};
  const Obstacles obstacles = obstaclesOf(orbit);
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    const double period = 2.0 * kPi * 2.0 / 1.0;
    const Pose pose = obstacles.poseAt(i, 0);
    const Vector3d opposite = obstacles.poseAt(i, toNs(0.5 * period)).p;
    EXPECT_NEAR((opposite - pose.p).norm(), 4.0, 1e-6);
    EXPECT_NEAR((obstacles.poseAt(i, toNs(period)).p - pose.p).norm(), 0.0, 1e-6);
    const Vector3d v = (obstacles.poseAt(i, toNs(1e-4)).p - pose.p) / 1e-4;
    EXPECT_NEAR((v - pose.q * Vector3d::UnitX()).norm(), 0.0, 1e-3) << "heads where it goes";
    EXPECT_LT(orbit.region.exteriorDistance(opposite), 1e-6);
  }
}

TEST(ObstacleTrack, FixedObstaclesTurnToAndFro) {
  ObstacleGroup sitter = usualGroup(ObstacleKind::kFixed);
  sitter.X_WM = {fromRollPitchYaw(0.0, 0.0, 1.0), {1.0, 2.0, 3.0}};
  EXPECT_EQ(yawOf(obstaclesOf(sitter).poseAt(0, toNs(7.0)).q), 1.0) << "at rest";
  sitter.swing = 0.4;
  sitter.swing_period = 4.0;
  const Obstacles obstacles = obstaclesOf(sitter);
  for (const double round : {0.0, 400.0, -4.0}) {
    for (const auto& [time, turn] :
         {std::pair{0.0, -0.4}, {1.0, 0.0}, {1.5, 0.2}, {2.0, 0.4}, {3.0, 0.0}, {3.75, -0.3}}) {
      const Pose pose = obstacles.poseAt(0, toNs(round + time));
      EXPECT_NEAR(yawOf(pose.q), 1.0 + turn, 1e-6) << round + time << " s";
      EXPECT_EQ(pose.p, sitter.X_WM.p);
    }
  }
}

}  // namespace
}  // namespace marsim::scene
