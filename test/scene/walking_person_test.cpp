// SPDX-License-Identifier: BSD-3-Clause
#include "scene/movers/walking_person.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "marsim/scene/obstacles.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

constexpr double kHeight = 1.8, kResolution = 0.03;

std::vector<Vector3d> placesOf(const map::SurfelMap& shape) {
  std::vector<Vector3d> places;
  for (const map::Surfel& surfel : shape.surfels())
    places.push_back(surfel.position.cast<double>());
  return places;
}

double nearest(const std::vector<Vector3d>& places, const Vector3d& p) {
  double least = 1e9;
  for (const Vector3d& place : places) least = std::min(least, (place - p).norm());
  return least;
}

TEST(WalkingPerson, StandsOnTheGroundAndIsAsTallAsItSays) {
  const WalkingPerson person(kHeight, 1, kResolution);
  for (std::size_t phase = 0; phase < WalkingPerson::kPhases; ++phase) {
    double low = 0.0, high = 0.0;
    for (const Vector3d& p : placesOf(*person.at(phase))) {
      low = std::min(low, p.z());
      high = std::max(high, p.z());
    }
    EXPECT_NEAR(low, -0.5 * kHeight, 0.01) << "a foot on the ground";
    EXPECT_NEAR(high, 0.5 * kHeight, 0.06) << "the hips sink in a stride";
  }
  double most = 0.0;
  for (const Vector3d& p : placesOf(*person.standing())) most = std::max(most, p.z());
  EXPECT_NEAR(most, 0.5 * kHeight, 0.02);
}

TEST(WalkingPerson, FeetAreFarthestApartWhenAStrideBeginsAndNextToEachOtherBetween) {
  const WalkingPerson person(kHeight, 0, kResolution);
  const auto spreadAt = [&](std::size_t phase) {
    double front = -1.0, back = 1.0;
    for (const Vector3d& p : placesOf(*person.at(phase))) {
      if (p.z() > -0.4 * kHeight) continue;
      front = std::max(front, p.x());
      back = std::min(back, p.x());
    }
    return front - back;
  };
  EXPECT_GT(spreadAt(0), 0.35 * kHeight);
  EXPECT_LT(spreadAt(WalkingPerson::kPhases / 4), 0.35 * kHeight);
}

TEST(WalkingPerson, HalfAStrideOnItIsItsMirrorImage) {
  const WalkingPerson person(kHeight, 0, kResolution);
  for (const std::size_t phase : {std::size_t{0}, std::size_t{5}}) {
    const auto one = placesOf(*person.at(phase)),
               other = placesOf(*person.at(phase + WalkingPerson::kPhases / 2));
    for (std::size_t i = 0; i < one.size(); i += 7) {
      const Vector3d mirrored(one[i].x(), -one[i].y(), one[i].z());
      ASSERT_LT(nearest(other, mirrored), 1.2 * kResolution);
    }
  }
}

TEST(WalkingPerson, SitsWithItsFeetOnTheGroundAndItsKneesBeforeIt) {
  const std::vector<Vector3d> places = placesOf(*sittingPerson(kHeight, 0, kResolution));
  Vector3d low = places.front(), high = low;
  for (const Vector3d& p : places) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  EXPECT_NEAR(low.z(), -0.5 * kHeight, 0.01);
  EXPECT_NEAR(high.z() - low.z(), 0.75 * kHeight, 0.03);  // 0.53 - 0.285 of it lower than upright
  EXPECT_NEAR(high.x(), (0.245 + 0.115) * kHeight, 0.03) << "thigh and foot";
  EXPECT_GT(nearest(places, {0.0, 0.05 * kHeight, -0.4 * kHeight}), 0.15) << "legs are not below";
}

ObstaclesConfig walker(double speed) {
  ObstaclesConfig config;
  ObstacleGroup group = usualGroup(ObstacleKind::kWaypoints);
  group.name = "person";
  group.shape = ObstacleShape::kPerson;
  group.size_min = group.size_max = kHeight;
  group.speed_min = group.speed_max = speed;
  group.points = {{0.0, 0.0, 0.9}, {40.0, 0.0, 0.9}};
  config.groups = {group};
  return config;
}

TEST(WalkingPerson, StridesGoWithTheWay) {
  const double speed = 1.44;  // a stride of 0.8 heights takes 1 s
  const Obstacles obstacles(walker(speed), {}, "test");
  std::vector<MovingObject> objects;
  obstacles.appendObjects(0, kNsPerSecond - 1, objects);
  std::set<const map::SurfelMap*> shapes;
  for (const MovingObject& object : objects) {
    shapes.insert(object.shape.get());
    EXPECT_EQ(object.identity, obstacles.identityOf(0));
  }
  EXPECT_EQ(shapes.size(), WalkingPerson::kPhases) << "one stride a second";
  for (double time = 0.0; time < 0.999; time += 0.003) {
    std::size_t there = 0;
    for (const MovingObject& object : objects) {
      if (!object.isThere(time)) continue;
      ++there;
      ASSERT_NEAR(object.at(time).p.x(), speed * time, 1e-6);
    }
    ASSERT_EQ(there, 1U) << time;
  }
}

TEST(WalkingPerson, APersonAtRestStands) {
  ObstaclesConfig config = walker(1.0);
  config.groups[0].kind = ObstacleKind::kDriven;
  config.groups[0].points = {{0.0, 0.0, 0.9}};
  config.groups[0].region = {Vector3d(-9.0, -9.0, 0.0), Vector3d(9.0, 9.0, 3.0)};
  Obstacles obstacles(config, {}, "test");
  std::vector<MovingObject> standing, walking;
  obstacles.appendObjects(0, kNsPerSecond, standing);
  EXPECT_EQ(standing.size(), 1U);
  obstacles.drive(0, {0, Vector3d(0.0, 0.0, 0.9), Vector3d::UnitX(), 0.0, 0.0});
  obstacles.appendObjects(0, kNsPerSecond / 5, walking);
  EXPECT_GT(walking.size(), 3U);
  EXPECT_NE(walking[0].shape, standing[0].shape);
}

}  // namespace
}  // namespace marsim::scene
