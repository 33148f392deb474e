// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/route.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "test_maps.hpp"

namespace marsim::collision {
namespace {

double lengthOf(const std::vector<Eigen::Vector3d>& way) {
  double length = 0.0;
  for (std::size_t i = 1; i < way.size(); ++i) length += (way[i] - way[i - 1]).norm();
  return length;
}

// A room of 10 x 6 x 3 m with a wall at x = 5 that leaves a gap of `gap` m at its northern end.
map::PointCloud roomWithWall(double gap) {
  map::PointCloud cloud;
  addRoom(cloud, {0.0, 0.0, 0.0}, {10.0, 6.0, 3.0});
  addPatch(cloud, {5.0, 0.0, 0.0}, {0.0, 6.0 - gap, 0.0}, {0.0, 0.0, 3.0});
  return cloud;
}

TEST(FirstBlocked, EqualsTheClosedForm) {
  const map::PointCloud cloud = randomCloud(300, 5);
  const ClearanceMap map(cloud, 0.1);
  RandomStream random(6);
  int blocked_count = 0;
  for (int i = 0; i < 300; ++i) {
    Eigen::Vector3d ends[2];
    for (Eigen::Vector3d& end : ends) {
      for (int axis = 0; axis < 3; ++axis) end[axis] = random.uniform(-4.0, 4.0);
    }
    const double clearance = random.uniform(0.1, 0.6);
    const double least = segmentClearance(cloud, ends[0], ends[1]);
    const auto blocked = firstBlocked(map, ends[0], ends[1], clearance);
    if (std::abs(least - clearance) < 1e-3) continue;  // grazes it
    ASSERT_EQ(blocked.has_value(), least < clearance) << i;
    if (!blocked) continue;
    ++blocked_count;
    // On the segment, nearer than the clearance, and the first such place.
    EXPECT_LT(bruteClearance(cloud, *blocked), clearance + 1e-5);
    EXPECT_NEAR((*blocked - ends[0]).norm() + (ends[1] - *blocked).norm(),
                (ends[1] - ends[0]).norm(), 1e-9);
    const double before = (*blocked - ends[0]).norm() - 2e-3;
    if (before > 0.0) {
      const Eigen::Vector3d last = ends[0] + before * (ends[1] - ends[0]).normalized();
      EXPECT_GE(segmentClearance(cloud, ends[0], last), clearance - 1e-3);
    }
  }
  EXPECT_GT(blocked_count, 30);
}

TEST(FirstBlocked, LooksAtASinglePlaceToo) {
  const map::PointCloud cloud = randomCloud(300, 5);
  const ClearanceMap map(cloud, 0.1);
  const Eigen::Vector3d at = cloud.points[7].cast<double>();
  EXPECT_EQ(firstBlocked(map, at, at, 0.1).value(), at);
  EXPECT_FALSE(firstBlocked(map, {50, 0, 0}, {50, 0, 0}, 0.1));
}

TEST(FindRoute, TakesTheStraightWayWhereItIsFree) {
  const ClearanceMap map(roomWithWall(2.0), 0.1);
  const Eigen::Vector3d from(1.0, 1.0, 1.5);
  const Eigen::Vector3d to(4.0, 5.0, 1.5);
  EXPECT_EQ(findRoute(map, from, to, {}).value(), (std::vector<Eigen::Vector3d>{from, to}));
}

// The shortest way round the wall's end, at a distance c from it, is two tangents to a circle of
// radius c and the arc between them.
TEST(FindRoute, GoesRoundAWallWithTheClearanceAndNearlyTheShortestWay) {
  const map::PointCloud cloud = roomWithWall(2.0);
  const ClearanceMap map(cloud, 0.1);
  const Eigen::Vector3d from(1.0, 1.0, 1.5);
  const Eigen::Vector3d to(9.0, 1.13, 1.62);
  RouteConfig config;
  config.clearance = 0.5;
  const auto way = findRoute(map, from, to, config);
  ASSERT_TRUE(way);
  EXPECT_EQ(way->front(), from);
  EXPECT_EQ(way->back(), to);
  for (std::size_t i = 1; i < way->size(); ++i) {
    EXPECT_GE(segmentClearance(cloud, (*way)[i - 1], (*way)[i]), config.clearance - 1e-3);
  }
  const double to_end = std::hypot(4.0, 3.0);
  const double tangent = std::sqrt(to_end * to_end - 0.25);
  EXPECT_GT(lengthOf(*way), 2.0 * tangent);
  EXPECT_LT(lengthOf(*way), 1.08 * (2.0 * tangent + 0.5 * 1.5));
  EXPECT_LT(way->size(), 8U);
}

// The wall of points beside the map, as plants that are obstacles give them.
TEST(FindRoute, GoesRoundPointsBesideTheMap) {
  map::PointCloud room;
  addRoom(room, {0.0, 0.0, 0.0}, {10.0, 6.0, 3.0});
  map::PointCloud hedge;
  addPatch(hedge, {5.0, 0.0, 0.0}, {0.0, 4.0, 0.0}, {0.0, 0.0, 3.0});
  map::SurfelMapConfig settings;
  settings.resolution = 0.1;
  std::vector<map::Surfel> surfels;
  std::vector<Eigen::Vector3d> others;
  for (const auto& p : room.points) surfels.push_back({p, Eigen::Vector3f::UnitZ(), 1.0F});
  for (const auto& p : hedge.points) others.push_back(p.cast<double>());
  const auto map = std::make_shared<const map::SurfelMap>(surfels, settings);
  const Eigen::Vector3d from(1.0, 1.0, 1.5), to(9.0, 1.0, 1.5);
  EXPECT_EQ(findRoute(ClearanceMap(map), from, to, {}).value().size(), 2U);
  const ClearanceMap both(makeNeighbours(map, others), map->bounds());
  const auto way = findRoute(both, from, to, {});
  ASSERT_TRUE(way);
  EXPECT_GT(way->size(), 2U);
  for (std::size_t i = 1; i < way->size(); ++i) {
    EXPECT_GE(segmentClearance(hedge, (*way)[i - 1], (*way)[i]), 0.5 - 2e-3);
  }
}

TEST(FindRoute, HasNoneThroughAGapThatIsTooNarrow) {
  RouteConfig config;
  config.clearance = 0.5;
  EXPECT_FALSE(findRoute(ClearanceMap(roomWithWall(0.9), 0.1), {1, 3, 1.5}, {9, 3, 1.5}, config));
  EXPECT_TRUE(findRoute(ClearanceMap(roomWithWall(1.2), 0.1), {1, 3, 1.5}, {9, 3, 1.5}, config));
}

TEST(FindRoute, HasNoneToABlockedGoalOrWithTooFewCells) {
  const ClearanceMap map(roomWithWall(2.0), 0.1);
  EXPECT_FALSE(findRoute(map, {1, 3, 1.5}, {9.8, 3, 1.5}, {}));
  EXPECT_FALSE(findRoute(map, {0.1, 3, 1.5}, {9, 3, 1.5}, {}));
  RouteConfig config;
  config.max_cells = 10;
  EXPECT_FALSE(findRoute(map, {1, 1, 1.5}, {9, 1, 1.5}, config));
}

TEST(FindRoute, RefusesSettingsOutOfBounds) {
  const ClearanceMap map(roomWithWall(2.0), 0.1);
  RouteConfig config;
  config.cell = 0.0;
  EXPECT_THROW(findRoute(map, {1, 1, 1.5}, {9, 1, 1.5}, config), ConfigError);
  config = {};
  config.clearance = NAN;
  EXPECT_THROW(findRoute(map, {1, 1, 1.5}, {9, 1, 1.5}, config), ConfigError);
  EXPECT_THROW(findRoute(map, {NAN, 1, 1.5}, {9, 1, 1.5}, {}), ConfigError);
}

}  // namespace
}  // namespace marsim::collision
