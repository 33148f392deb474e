// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include "goal_checks.hpp"
#include "marsim/map/voxel_grid.hpp"
#include "marsim/scene/places.hpp"

namespace marsim::collision {
namespace {

TEST(ChooseGoals, FliesRoundAForest) {
  scene::ForestConfig forest;
  forest.spacing = 0.12;
  forest.surroundings = 0.0;
  const map::PointCloud cloud = map::downsample(scene::makeForest(forest), 0.1);
  const ClearanceMap map(cloud, 0.1);
  const Eigen::Vector3d start(0.0, 0.0, 1.5);
  const auto goals = chooseGoals(map, start, 6, 0.55, 1);
  ASSERT_EQ(goals.size(), 6U);
  expectGoodGoals(cloud, map, start, goals, 0.55);
  EXPECT_GT(longestLeg(start, goals), 5.0);
  EXPECT_EQ(chooseGoals(map, start, 6, 0.55, 1), goals) << "the seed decides";
  EXPECT_NE(chooseGoals(map, start, 6, 0.55, 2), goals);
}

TEST(ChooseGoals, GoesThroughTheDoorOfABuilding) {
  scene::BuildingConfig building;
  building.spacing = 0.08;
  const map::PointCloud cloud = map::downsample(scene::makeBuilding(building), 0.1);
  const ClearanceMap map(cloud, 0.1);
  const Eigen::Vector3d start(0.0, 0.0, 1.5);
  const auto goals = chooseGoals(map, start, 6, 0.5, 1);
  ASSERT_EQ(goals.size(), 6U);
  expectGoodGoals(cloud, map, start, goals, 0.5);
  const auto in_second_room = [](const Eigen::Vector3d& goal) { return goal.x() > 5.2; };
  EXPECT_TRUE(std::any_of(goals.begin(), goals.end(), in_second_room));
}

TEST(ChooseGoals, FindsShortLegsInASmallRoom) {
  map::PointCloud cloud;
  addRoom(cloud, {0.0, 0.0, 0.0}, {3.0, 2.6, 2.5});
  const ClearanceMap map(cloud, 0.1);
  const Eigen::Vector3d start(1.0, 1.3, 1.2);
  const auto goals = chooseGoals(map, start, 4, 0.6, 1);
  ASSERT_GE(goals.size(), 2U);
  expectGoodGoals(cloud, map, start, goals, 0.6);
}

TEST(ChooseGoals, HasNoneWhereItIsClosedIn) {
  map::PointCloud cloud;
  addRoom(cloud, {0.0, 0.0, 0.0}, {1.4, 1.4, 1.4});
  const ClearanceMap map(cloud, 0.1);
  EXPECT_TRUE(chooseGoals(map, {0.7, 0.7, 0.7}, 4, 0.6, 1).empty());
  EXPECT_TRUE(chooseGoals(map, {0.7, 0.7, 0.7}, 4, 0.9, 1).empty());
  EXPECT_TRUE(chooseGoals(ClearanceMap({}, 0.1), {0, 0, 1}, 4, 0.6, 1).empty());
  EXPECT_TRUE(chooseGoals(map, {0.7, 0.7, 0.7}, 0, 0.1, 1).empty());
}

TEST(ChooseGoals, StaysOverTheFloor) {
  // A room without its eastern wall, and beyond it nothing but a far stray point.
  map::PointCloud cloud;
  addPatch(cloud, {0.0, 0.0, 0.0}, {5.0, 0.0, 0.0}, {0.0, 5.0, 0.0});
  addPatch(cloud, {0.0, 0.0, 0.0}, {5.0, 0.0, 0.0}, {0.0, 0.0, 3.0});
  addPatch(cloud, {0.0, 5.0, 0.0}, {5.0, 0.0, 0.0}, {0.0, 0.0, 3.0});
  addPatch(cloud, {0.0, 0.0, 0.0}, {0.0, 5.0, 0.0}, {0.0, 0.0, 3.0});
  cloud.points.emplace_back(20.0F, 2.0F, 1.0F);
  const ClearanceMap map(cloud, 0.1);
  const auto goals = chooseGoals(map, {2.5, 2.5, 1.5}, 5, 0.5, 1);
  ASSERT_FALSE(goals.empty());
  for (const Eigen::Vector3d& goal : goals) EXPECT_LT(goal.x(), 5.3);
}

}  // namespace
}  // namespace marsim::collision
