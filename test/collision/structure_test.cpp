// SPDX-License-Identifier: BSD-3-Clause
#include "collision/structure.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "marsim/collision/goals.hpp"
#include "marsim/common/error.hpp"

namespace marsim::collision {
namespace {

/// A plane at `at` along axis `axis`, over [-half, half] in the other two, z from 0 to 3.
void addWall(map::PointCloud& cloud, int axis, float at, float half) {
  for (float a = -half; a <= half; a += 0.2F) {
    for (float b = 0.0F; b <= (axis == 2 ? 2 * half : 3.0F); b += 0.2F) {
      Eigen::Vector3f p;
      p[axis] = at;
      p[(axis + 1) % 3] = axis == 1 ? b : a;
      p[(axis + 2) % 3] = axis == 0 ? b : axis == 1 ? a : b - half;
      cloud.points.push_back(p);
    }
  }
}

ClearanceMap mapOf(const std::vector<std::pair<int, float>>& walls, float half) {
  map::PointCloud cloud;
  for (const auto& [axis, at] : walls) addWall(cloud, axis, at, half);
  return ClearanceMap(cloud, 0.2);
}

constexpr double kHalfPi = 1.5707963267948966;
const Eigen::Vector3d kMiddle(0.0, 0.0, 1.5);

ViewLimits everywhere() {
  ViewLimits view;
  view.elevation_min = -kHalfPi;
  view.elevation_max = kHalfPi;
  view.reach = 10.0;
  return view;
}

// Each face of a cube round the sensor covers a third of all directions: a third of the identity.
TEST(Structure, ACubeFixesEveryDirectionAlike) {
  const ClearanceMap cube =
      mapOf({{0, -1.5F}, {0, 1.5F}, {1, -1.5F}, {1, 1.5F}, {2, 0.0F}, {2, 3.0F}}, 1.5F);
  EXPECT_NEAR(structureInView(cube, kMiddle, 0.3, everywhere()), 1.0 / 3.0, 0.05);
}

TEST(Structure, NothingFixesTheDirectionThatIsNotSeen) {
  const ViewLimits all = everywhere();
  EXPECT_LT(structureInView(mapOf({{2, 0.0F}}, 16.0F), kMiddle, 0.0, all), 1e-3);  // a plain
  const ClearanceMap tunnel = mapOf({{1, -2.0F}, {1, 2.0F}, {2, 0.0F}, {2, 3.0F}}, 16.0F);
  EXPECT_LT(structureInView(tunnel, kMiddle, 0.0, all), 0.03);
  // A wall across it, which a sensor that looks away does not see.
  const ClearanceMap dead_end =
      mapOf({{1, -2.0F}, {1, 2.0F}, {2, 0.0F}, {2, 3.0F}, {0, 6.0F}}, 16.0F);
  ViewLimits ahead = all;
  ahead.azimuth_min = -0.6;
  ahead.azimuth_max = 0.6;
  EXPECT_GT(structureInView(dead_end, kMiddle, 0.0, ahead),
            structureInView(dead_end, kMiddle, 2.0 * kHalfPi, ahead) + 0.01);
  EXPECT_EQ(structureInView(ClearanceMap({}, 0.1), kMiddle, 0.0, all), 0.0);
}

// A hall whose far half has a floor and nothing else: way points stay where there are walls.
TEST(Structure, ARouteKeepsItInView) {
  map::PointCloud cloud;
  addWall(cloud, 2, 0.0F, 10.0F);
  for (const float at : {-5.0F, 5.0F}) {
    addWall(cloud, 0, at, 5.0F);
    addWall(cloud, 1, at, 5.0F);
  }
  const ClearanceMap map(cloud, 0.2);
  ViewLimits view;
  view.reach = 15.0;
  const SlamRoute route = planSlamRoute(map, kMiddle, 0.5, 3, 0.5, 0.3, view);
  ASSERT_GE(route.waypoints.size(), 2U);
  EXPECT_LT((route.waypoints.back() - kMiddle).norm(), 1e-9) << "back at the start";
  EXPECT_GT(route.least_structure, 0.03);
  EXPECT_EQ(route.yaw, 0.5) << "it sees all round: no other heading is better";
  for (const Eigen::Vector3d& p : route.waypoints) EXPECT_GE(map.at(p).distance, 0.5);
  EXPECT_THROW(planSlamRoute(map, {0.0, 0.0, 0.1}, 0.0, 3, 0.5, 0.3, view), Error);
}

// In a hall that is open to one side, draws of way points differ in what stays in view: the first
// goes out to where there is nothing but the floor, and another one is flown.
TEST(Structure, ARouteIsTheBestOfSeveralDraws) {
  map::PointCloud cloud;
  addWall(cloud, 2, 0.0F, 12.0F);
  addWall(cloud, 0, -6.0F, 6.0F);
  addWall(cloud, 1, -6.0F, 6.0F);
  addWall(cloud, 1, 6.0F, 6.0F);
  const ClearanceMap map(cloud, 0.2);
  const Eigen::Vector3d start(-3.0, 0.0, 1.5);
  ViewLimits view;
  view.reach = 12.0;
  double of_first_draw = 1.0;
  Eigen::Vector3d from = start;
  for (const Eigen::Vector3d& to : chooseGoals(map, start, 2, 0.5, 1, 0.3)) {
    for (double share = 0.0; share <= 1.0; share += 0.5 / (to - from).norm()) {
      const Eigen::Vector3d at = from + share * (to - from);
      of_first_draw = std::min(of_first_draw, structureInView(map, at, 0.0, view));
    }
    from = to;
  }
  EXPECT_LT(of_first_draw, 0.015);
  const SlamRoute route = planSlamRoute(map, start, 0.0, 2, 0.5, 0.3, view);
  EXPECT_GT(route.least_structure, 2.0 * of_first_draw);
}

// Where the only walls meet in a corner, a sensor of a narrow view looks there all along.
TEST(Structure, ANarrowViewLooksAtTheCorner) {
  map::PointCloud cloud;
  addWall(cloud, 2, 0.0F, 6.0F);
  addWall(cloud, 0, 5.0F, 5.0F);
  addWall(cloud, 1, 5.0F, 5.0F);
  const ClearanceMap map(cloud, 0.2);
  ViewLimits view;
  view.azimuth_min = -0.6;
  view.azimuth_max = 0.6;
  view.reach = 20.0;
  const SlamRoute route = planSlamRoute(map, kMiddle, 0.0, 3, 0.5, 0.3, view);
  EXPECT_NEAR(route.yaw, 0.5 * kHalfPi, 1e-9) << "of eight headings from 0 on";
  EXPECT_GT(route.least_structure, structureInView(map, kMiddle, 0.0, view) + 0.01);
}

}  // namespace
}  // namespace marsim::collision
