// SPDX-License-Identifier: BSD-3-Clause
#include "tools/demo/flight_plan.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "tools/test_room.hpp"

namespace marsim::tools {
namespace {

constexpr double kClearance = 0.5;
const Eigen::Vector3d kStart(2.0, 2.0, 1.5);

// Least distance from the segments of all ways to any point, by brute force.
double leastDistance(const std::vector<Eigen::Vector3f>& points, Eigen::Vector3d from,
                     const std::vector<scenario::Way>& ways) {
  double least = std::numeric_limits<double>::infinity();
  for (const scenario::Way& way : ways) {
    for (const Eigen::Vector3d& to : way) {
      const Eigen::Vector3d along = to - from;
      for (const Eigen::Vector3f& point : points) {
        const Eigen::Vector3d p = point.cast<double>();
        const double t =
            std::clamp((p - from).dot(along) / std::max(along.squaredNorm(), 1e-12), 0.0, 1.0);
        least = std::min(least, (p - from - t * along).norm());
      }
      from = to;
    }
  }
  return least;
}

std::string messageOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(FlightPlan, RoutesThroughTheDoor) {
  const auto points = roomPoints();
  const Eigen::Vector3d goal(8.0, 2.0, 1.5);
  const auto ways = findWays(clearanceOf(points), kStart, {goal, kStart}, kClearance);
  ASSERT_EQ(ways.size(), 2U);
  EXPECT_EQ(ways[0].back(), goal);
  EXPECT_EQ(ways[1].back(), kStart);
  EXPECT_GT(ways[0].size(), 1U);
  EXPECT_GE(leastDistance(points, kStart, ways), kClearance - 1e-3);
}

TEST(FlightPlan, FreeSegmentIsFlownStraight) {
  const auto ways = findWays(clearanceOf(roomPoints()), kStart, {{2.0, 4.0, 1.5}}, kClearance);
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways[0].size(), 1U);
}

TEST(FlightPlan, ClosedDoorIsRefusedWithTheBlockingPlace) {
  const auto map = clearanceOf(roomPoints(4.0));
  const std::string message = messageOf([&] {
    findWays(map, kStart, {{8.0, 2.0, 1.5}}, kClearance);
  });
  EXPECT_NE(message.find("goal 1 at (8.00, 2.00, 1.50) cannot be reached"), std::string::npos)
      << message;
  // Half a metre before the wall, reached along y = 2 and z = 1.5.
  EXPECT_NE(message.find("blocked at (4.5"), std::string::npos) << message;
}

// A hall of walls alone, whose floor was not scanned: nothing but the ground keeps a goal up.
TEST(FlightPlan, NothingIsPlannedBelowAStandingVehicle) {
  std::vector<Eigen::Vector3f> points = roomPoints();
  points.erase(std::remove_if(points.begin(), points.end(),
                              [](const Eigen::Vector3f& p) {
                                return p.z() < 0.05F && p.x() > 0.05F && p.x() < 9.95F &&
                                       p.y() > 0.05F && p.y() < 5.95F && p.x() != 5.0F;
                              }),
               points.end());
  const auto map = clearanceOf(points);
  const Eigen::Vector3d start(2.0, 2.0, 0.3);
  const auto lowestOf = [&](double lowest_z) {
    double lowest = 10.0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      for (const scenario::Way& way : chooseWays(map, start, 5, kClearance, seed, lowest_z)) {
        lowest = std::min(lowest, way.back().z());
      }
    }
    return lowest;
  };
  EXPECT_LT(lowestOf(kAnyHeight), 0.2) << "the hall has such goals";
  EXPECT_GE(lowestOf(0.2), 0.2);

  EXPECT_EQ(findWays(map, start, {{2.0, 3.0, 0.1}}, kClearance).size(), 1U);
  const std::string message = messageOf([&] {
    findWays(map, start, {{2.0, 3.0, 0.1}}, kClearance, 0.2);
  });
  EXPECT_NE(message.find("goal 1 at (2.00, 3.00, 0.10) is lower than"), std::string::npos);
  EXPECT_NE(message.find("0.20 m or more"), std::string::npos) << message;
  // Below the usual start another one is chosen.
  EXPECT_EQ(chooseStart(map, start, kClearance, 0.2), start);
  EXPECT_NE(chooseStart(map, start, kClearance, 0.4), start);
}

/// A plot of 30 x 30 m round the origin on a slope, with stems and closed crowns, and a stray point
/// below.
std::vector<Eigen::Vector3f> plotOnASlope(const std::function<double(double, double)>& ground) {
  std::vector<Eigen::Vector3f> points;
  for (int i = -75; i <= 75; ++i) {
    for (int j = -75; j <= 75; ++j) {
      const double x = 0.2 * i, y = 0.2 * j;
      const double z = ground(x, y);
      points.push_back(Eigen::Vector3d(x, y, z).cast<float>());
      points.push_back(Eigen::Vector3d(x, y, z + 7.0 + std::sin(x) * std::cos(y)).cast<float>());
      if (i % 20 != 0 || j % 20 != 0) continue;
      for (int k = 0; k < 60; ++k) {
        points.push_back(Eigen::Vector3d(x, y, z + 0.1 * k).cast<float>());
      }
    }
  }
  points.emplace_back(0.6F, 0.3F, static_cast<float>(ground(0.6, 0.3) - 4.0));
  return points;
}

TEST(FlightPlan, StartsOverTheGroundOfATerrain) {
  const Eigen::Vector3d usual(0.0, 0.0, 1.5);
  // Far above the usual place; the usual place lies in the ground; or a little above it.
  for (const double height : {412.0, 3.0, 0.4}) {
    const auto ground = [&](double x, double y) { return height + 0.25 * x + 0.1 * y; };
    const auto points = plotOnASlope(ground);
    const Eigen::Vector3d start = chooseStart(clearanceOf(points), usual, kClearance);
    const double above = start.z() - ground(start.x(), start.y());
    EXPECT_GT(above, 0.9) << height;
    EXPECT_LT(above, 2.0) << height;
    EXPECT_LT(start.head<2>().norm(), 3.0) << height;
    EXPECT_GE(leastDistance(points, start, {{{start}}}), kClearance - 1e-3) << height;
  }
}

TEST(FlightPlan, GoalAtAWallIsRefusedWithAFreePlace) {
  const auto map = clearanceOf(roomPoints());
  const std::string message = messageOf([&] {
    findWays(map, kStart, {{2.0, 5.8, 1.5}}, kClearance);
  });
  EXPECT_NE(message.find("is 0.20 m from the map's point"), std::string::npos) << message;
  EXPECT_NE(message.find("nearest free place"), std::string::npos) << message;
  EXPECT_NE(messageOf([&] {
              findWays(map, kStart, {{99, 0, 1}}, kClearance);
            }).find("outside"),
            std::string::npos);
}

TEST(FlightPlan, ChosenGoalsKeepTheClearance) {
  const auto points = roomPoints();
  const auto ways = chooseWays(clearanceOf(points), kStart, 4, kClearance, 3);
  EXPECT_FALSE(ways.empty());
  EXPECT_GE(leastDistance(points, kStart, ways), kClearance - 1e-3);
}

TEST(FlightPlan, StartIsTheUsualOneWhereFree) {
  const auto map = clearanceOf(roomPoints());
  EXPECT_EQ(chooseStart(map, kStart, kClearance), kStart);
  const Eigen::Vector3d other = chooseStart(map, {5.0, 1.0, 1.5}, kClearance);
  EXPECT_GE(map.at(other).distance, kClearance);
  EXPECT_THROW(chooseStart(map, {5.0, 1.0, 1.5}, 2.9), Error);
}

TEST(FlightPlan, LengthIsThatOfAllSegments) {
  FlightPlan plan;
  plan.start = {1, 2, 3};
  plan.ways = {{{4, 2, 3}, {4, 6, 3}}, {{4, 6, 5}}};
  EXPECT_DOUBLE_EQ(plan.length(), 3.0 + 4.0 + 2.0);
}

}  // namespace
}  // namespace marsim::tools
