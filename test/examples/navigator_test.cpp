// SPDX-License-Identifier: BSD-3-Clause
#include "navigator.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "post.hpp"

namespace autonomy {
namespace {

using Eigen::Vector3d;

TEST(Mover, FollowsItsPathAndThenGoesStraightOn) {
  Mover mover{{0, 0, 1}, {9, 9, 9}, 0.5, {{0, 0, 1}, {0.2, 0, 1}, {0.2, 0.3, 1}}, 0.1};
  EXPECT_LT((mover.at(0.05) - Vector3d(0.1, 0, 1)).norm(), 1e-9);
  EXPECT_LT((mover.at(0.4) - Vector3d(0.2, 0.9, 1)).norm(), 1e-9);
  mover.since = 0.15;
  EXPECT_LT((mover.at(0.0) - Vector3d(0.2, 0.15, 1)).norm(), 1e-9);
  mover.path.clear();
  EXPECT_LT((mover.at(0.1) - Vector3d(2.25, 2.25, 3.25)).norm(), 1e-9);
}

NavigatorConfig navigatorConfig() {
  NavigatorConfig config;
  config.planner.limits = {2.0, 3.0, 30.0};
  config.low = {-10, -10, 0};
  config.high = {10, 10, 3};
  return config;
}

TEST(Navigator, RefusesBadGoalsWithTheNearestFreePlace) {
  Navigator navigator(navigatorConfig());
  navigator.addOdometry(0.0, {0, 0, 1}, 0.0);
  navigator.addScan({0, 0, 1}, post());
  const auto no_number = navigator.setGoal({NAN, 0, 1});
  ASSERT_TRUE(no_number);
  EXPECT_EQ(no_number->reason, "the goal is not a number");
  EXPECT_EQ(no_number->nearest_free, Vector3d(0, 0, 1));
  const auto outside = navigator.setGoal({0, 12, 1});
  ASSERT_TRUE(outside);
  EXPECT_EQ(outside->reason, "the goal lies outside of the map");
  EXPECT_EQ(outside->nearest_free, Vector3d(0, 10, 1));
  const auto inside = navigator.setGoal({2.5, 0.2, 1});
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->reason, "the goal lies in an obstacle");
  ASSERT_TRUE(inside->nearest_free);
  EXPECT_FALSE(navigator.map().isBlocked(*inside->nearest_free));
  EXPECT_LT((*inside->nearest_free - Vector3d(2.5, 0.2, 1)).norm(), 0.6);
  EXPECT_FALSE(navigator.hasGoal());
  EXPECT_FALSE(navigator.setGoal({1, 0, 1}));
}

// Follows the commands exactly until `end` [s], seeing the post or not.
State follow(Navigator& navigator, double begin, double end, bool has_odometry = true) {
  State state = navigator.commandAt(begin)->state;
  for (double now = begin; now < end; now += 0.01) {
    const auto command = navigator.commandAt(now);
    EXPECT_LE(command->state.v.norm(), 2.0 * 1.001) << now;
    EXPECT_LE(command->state.a.norm(), 3.0 * 1.001) << now;
    EXPECT_LT((command->state.p - state.p).norm(), 0.021) << now;
    state = command->state;
    if (has_odometry) navigator.addOdometry(now, state.p, command->yaw);
  }
  return state;
}

TEST(Navigator, FliesRoundAPostThatItSeesLate) {
  Navigator navigator(navigatorConfig());
  navigator.addOdometry(0.0, {0, 0, 1}, 0.0);
  EXPECT_FALSE(navigator.setGoal({6, 0, 1}));
  follow(navigator, 0.0, 1.0);
  navigator.addScan({0, 0, 1}, post());
  const State end = follow(navigator, 1.0, 8.0);
  EXPECT_LT((end.p - Vector3d(6, 0, 1)).norm(), 0.01);
}

TEST(Navigator, FliesThePathThatItAnnounces) {
  Navigator navigator(navigatorConfig());
  EXPECT_TRUE(navigator.announcedPath(0.1, 10).empty());
  navigator.addOdometry(0.0, {0, 0, 1}, 0.0);
  EXPECT_FALSE(navigator.setGoal({3, 1, 1}));
  follow(navigator, 0.0, 1.0);
  const auto path = navigator.announcedPath(0.1, 10);
  ASSERT_EQ(path.size(), 10U);
  for (int i = 1; i < 10; ++i) {
    const double now = 1.0 + 0.1 * (i - 1);
    const State state = follow(navigator, now, now + 0.1);
    EXPECT_LT((state.p - path[static_cast<std::size_t>(i)]).norm(), 0.03) << i;
  }
}

TEST(Navigator, LeavesMoversOutOfTheMap) {
  Navigator navigator(navigatorConfig());
  navigator.addOdometry(0.0, {0, 0, 1}, 0.0);
  navigator.setMovers(0.0, {{{1, 0, 1}, {0, 1, 0}, 0.6}});
  navigator.commandAt(1.0);  // the mover is at (1, 1, 1)
  navigator.addScan({0, 0, 1}, {{0.7, 1, 1}, {0.75, 0, 1}});
  EXPECT_FALSE(navigator.map().isBlocked(Vector3d(0.7, 1, 1)));
  EXPECT_TRUE(navigator.map().isBlocked(Vector3d(0.75, 0, 1)));
}

TEST(Navigator, ForgetsMoversThatAScanShowedBeforeTheyWereTold) {
  Navigator navigator(navigatorConfig());
  navigator.addOdometry(0.0, {0, 0, 1}, 0.0);
  navigator.addScan({0, 0, 1}, {{1.3, 0, 1}, {2.2, 0, 1}, {1.95, 0.5, 1}});
  EXPECT_TRUE(navigator.map().isBlocked(Vector3d(1.3, 0, 1)));
  navigator.setMovers(0.0, {{{1.5, 0, 1}, {1, 0, 0}, 0.5}});
  EXPECT_FALSE(navigator.map().isBlocked(Vector3d(1.3, 0, 1)));
  EXPECT_TRUE(navigator.map().isBlocked(Vector3d(2.2, 0, 1))) << "0.7 m from the mover";
  EXPECT_TRUE(navigator.map().isBlocked(Vector3d(1.95, 0.5, 1))) << "0.67 m from it";
  navigator.setMovers(0.7, {{{2.2, 0, 1}, {1, 0, 0}, 0.5}});
  EXPECT_TRUE(navigator.map().isBlocked(Vector3d(2.2, 0, 1))) << "a post that a known mover passes";
}

TEST(Navigator, StopsBeforeAWallThatNothingLeadsRound) {
  Navigator navigator(navigatorConfig());
  navigator.addOdometry(0.0, {0, 0, 1}, 0.0);
  EXPECT_FALSE(navigator.setGoal({8, 0, 1}));
  follow(navigator, 0.0, 1.0);
  std::vector<Vector3d> wall;
  for (double y = -5.0; y < 5.0; y += 0.05) {
    for (double z = -3.5; z < 5.5; z += 0.05) wall.emplace_back(3.5, y, z);
  }
  navigator.addScan({0, 0, 1}, wall);
  const State end = follow(navigator, 1.0, 6.0);
  EXPECT_LT(end.v.norm(), 0.01);
  EXPECT_LT(end.p.x(), 3.5 - 0.2);
}

TEST(Navigator, StopsWithoutOdometryAndSaysSo) {
  Navigator navigator(navigatorConfig());
  std::vector<std::string> messages;
  navigator.on_message = [&](const std::string& text) { messages.push_back(text); };
  navigator.addOdometry(0.0, {0, 0, 1}, 0.0);
  EXPECT_FALSE(navigator.setGoal({8, 0, 1}));
  const State flying = follow(navigator, 0.0, 1.5);
  EXPECT_GT(flying.v.norm(), 1.5);
  EXPECT_TRUE(messages.empty());
  const State stopped = follow(navigator, 1.5, 4.0, false);
  EXPECT_LT(stopped.v.norm(), 0.01);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0], "the odometry is older than 0.5 s: stopping");
  const State end = [&] {
    navigator.addOdometry(4.0, stopped.p, 0.0);
    return follow(navigator, 4.0, 10.0);
  }();
  EXPECT_LT((end.p - Vector3d(8, 0, 1)).norm(), 0.01);
}

}  // namespace
}  // namespace autonomy
