// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "goal_checks.hpp"
#include "marsim/collision/route.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::collision {
namespace {

struct Case {
  const char* file;
  Eigen::Vector3d start;
  double clearance_there;  // [m] as published with the file
};

class RealMap : public testing::TestWithParam<Case> {};

TEST_P(RealMap, HasGoalsInsideAndARouteBetweenThem) {
  const char* folder = std::getenv("MARSIM_REAL_DATA");
  if (folder == nullptr) GTEST_SKIP() << "MARSIM_REAL_DATA is not set";
  const std::filesystem::path file = std::filesystem::path(folder) / GetParam().file;
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " does not exist";
  const map::PointCloud cloud = map::downsample(map::loadCloud(file).cloud, 0.1);
  const ClearanceMap map(cloud, 0.1);
  const Eigen::Vector3d& start = GetParam().start;
  // Voxels' means lie up to a voxel from the points that they stand for.
  EXPECT_NEAR(map.at(start).distance, GetParam().clearance_there, 0.1);
  EXPECT_NO_THROW(requireFreeStart(map, start, 0.35));

  const double clearance = 0.55;
  const auto goals = chooseGoals(map, start, 5, clearance, 1);
  ASSERT_GE(goals.size(), 4U);
  expectGoodGoals(cloud, map, start, goals, clearance);
  EXPECT_GT(longestLeg(start, goals), 3.0);

  RouteConfig config;
  config.clearance = clearance;
  for (const Eigen::Vector3d& goal : goals) {
    const auto way = findRoute(map, start, goal, config);
    ASSERT_TRUE(way) << goal.transpose();
    for (std::size_t i = 1; i < way->size(); ++i) {
      EXPECT_GE(segmentClearance(cloud, (*way)[i - 1], (*way)[i]), clearance - 1e-3);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Places, RealMap,
    testing::Values(Case{"building_indoor_2storey.pcd", {10.0, 11.0, 1.8}, 1.1},
                    Case{"building_indoor_2storey.pcd", {16.0, 8.5, 7.6}, 1.1},
                    Case{"office_floor_geb079_008.pcd", {30.0, 7.4, 1.3}, 1.06}));

}  // namespace
}  // namespace marsim::collision
