// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/obstacle_driver.hpp"

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

constexpr TimeNs kMs = 1'000'000;
constexpr TimeNs kPeriod = ObstacleDriver::kPeriod;
const Vector3d kStart(1.0, 2.0, 3.0);

// Two that orbit and then three that are driven.
std::shared_ptr<Obstacles> someObstacles() {
  ObstaclesConfig config;
  for (const ObstacleKind kind : {ObstacleKind::kOrbit, ObstacleKind::kDriven}) {
    ObstacleGroup group = usualGroup(kind);
    group.name = kind == ObstacleKind::kDriven ? "cart" : "moon";
    group.number = kind == ObstacleKind::kDriven ? 3 : 2;
    group.region = {Vector3d(-10.0, -8.0, 0.0), Vector3d(10.0, 8.0, 6.0)};
    if (kind == ObstacleKind::kDriven) group.points = {kStart, {0.0, 0.0, 1.0}, {-5.0, 0.0, 1.0}};
    config.groups.push_back(group);
  }
  return std::make_shared<Obstacles>(config, MapDistance(), "test");
}

struct Driving : ::testing::Test {
  std::shared_ptr<Obstacles> obstacles = someObstacles();

  // The first one's state at the end of steps up to a time.
  static Obstacles::Driven drivenTo(ObstacleDriver& driver, TimeNs from, TimeNs to) {
    Obstacles::Driven state;
    for (TimeNs now = from; now <= to; now += kPeriod) state = driver.step(now).at(0);
    return state;
  }
};

// Each step goes straight on with the velocity and heading of its beginning.
TEST_F(Driving, ObstaclesGoByTheVelocitiesCommandedInTheirOwnFrames) {
  ObstacleDriver driver(obstacles, 0);
  ASSERT_EQ(driver.size(), 3U);
  EXPECT_EQ(driver.nameOf(0), "cart_0");
  EXPECT_EQ(driver.nameOf(2), "cart_2");
  EXPECT_EQ(drivenTo(driver, 0, 20 * kMs).p, kStart);
  driver.command(0, {1.0, 0.5, 0.25}, 0.6, 30 * kMs);
  Vector3d p = kStart;
  for (int k = 0; k < 250; ++k) {
    const TimeNs now = 40 * kMs + k * kPeriod;
    const double yaw = 0.6 * 0.02 * k;
    const Vector3d v(std::cos(yaw) - 0.5 * std::sin(yaw), std::sin(yaw) + 0.5 * std::cos(yaw),
                     0.25);
    const std::vector<Obstacles::Driven>& states = driver.step(now);
    ASSERT_EQ(states.size(), 3U);
    EXPECT_EQ(states[0].stamp, now);
    EXPECT_LT((states[0].p - p).norm(), 1e-12) << k;
    EXPECT_LT((states[0].v - v).norm(), 1e-12) << k;
    EXPECT_NEAR(wrapAngle(states[0].yaw - yaw), 0.0, 1e-12) << k;
    EXPECT_EQ(states[0].yaw_rate, 0.6);
    EXPECT_EQ(states[1].p, Vector3d(0.0, 0.0, 1.0)) << "not commanded";
    EXPECT_EQ(obstacles->driven(2).p, states[0].p) << "the obstacles have heard of it";
    EXPECT_EQ(obstacles->poseAt(2, now).p, states[0].p);
    p += 0.02 * v;
  }
}

TEST_F(Driving, NoObstacleLeavesItsRegion) {
  ObstacleDriver driver(obstacles, 0);
  driver.command(0, {4.0, 1.0, -3.0}, 0.0, 0);
  EXPECT_LT((drivenTo(driver, 0, 2000 * kMs).p - Vector3d(9.0, 4.0, 0.0)).norm(), 1e-9);
  EXPECT_LT((drivenTo(driver, 2020 * kMs, 4000 * kMs).p - Vector3d(10.0, 6.0, 0.0)).norm(), 1e-9);
}

TEST_F(Driving, AnObstacleThatIsNotCommandedAgainStops) {
  struct Case {
    TimeNs timeout, last;  // step at whose state it is still driven
  };
  const std::vector<Case> cases = {
      {0, 1000 * kMs}, {1, 100 * kMs}, {40 * kMs - 1, 120 * kMs}, {40 * kMs, 140 * kMs}};
  for (const Case& expected : cases) {
    ObstacleDriver driver(obstacles, expected.timeout);
    driver.command(0, {0.1, 0.0, 0.0}, 0.2, 100 * kMs);
    for (TimeNs now = 100 * kMs; now <= 1000 * kMs; now += kPeriod) {
      const bool is_driven = now <= expected.last;
      EXPECT_EQ(driver.step(now)[0].v.x() > 0.0, is_driven) << now;
      EXPECT_EQ(driver.step(now)[0].yaw_rate, is_driven ? 0.2 : 0.0) << now;
    }
    driver.command(0, {0.0, 0.0, 0.3}, 0.0, 1020 * kMs);
    EXPECT_EQ(driver.step(1020 * kMs)[0].v.z(), 0.3) << "and goes on when it is";
  }
}

TEST_F(Driving, ATimeBeforeTheLastBeginsAnew) {
  ObstacleDriver driver(obstacles, 0);
  driver.command(0, {1.0, 0.0, 0.0}, 0.5, 40 * kMs);
  EXPECT_GT(drivenTo(driver, 0, 1000 * kMs).p.x(), 1.5);
  EXPECT_EQ(driver.step(0)[0].p, kStart);
  EXPECT_EQ(driver.step(0)[0].yaw, 0.0);
  EXPECT_EQ(obstacles->poseAt(2, 900 * kMs).p, kStart) << "what was told of that time is void";
  EXPECT_EQ(drivenTo(driver, 0, 1000 * kMs).p, kStart) << "and so is what was commanded then";
  driver.command(0, {1.0, 0.0, 0.0}, 0.0, 0);
  EXPECT_NEAR(drivenTo(driver, 0, 1000 * kMs).p.x(), 2.0, 1e-9) << "of the new time";
}

// As in two programs: commands that others replaced before they acted, and questions in between,
// change nothing.
TEST_F(Driving, TwoDriversComputeTheSameToTheLastBit) {
  const std::shared_ptr<Obstacles> others = someObstacles();
  ObstacleDriver one(obstacles, 100 * kMs), other(others, 100 * kMs);
  RandomStream random(1);
  std::vector<MovingObject> objects;
  for (TimeNs now = 0; now < 20 * kNsPerSecond; now += kPeriod) {
    for (std::size_t k = 0; k < one.size(); ++k) {
      if (random.uniform() > 0.3) continue;
      const Vector3d v(random.normal(), random.normal(), random.normal());
      const double yaw_rate = random.normal();
      one.command(k, 2.0 * v, -yaw_rate, now - kPeriod / 2);
      one.command(k, v, yaw_rate, now - kPeriod / 3);
      other.command(k, v, yaw_rate, now - kPeriod / 3);
    }
    const std::vector<Obstacles::Driven>&a = one.step(now), &b = other.step(now);
    others->appendObjects(now - 100 * kMs, now, objects);
    for (std::size_t k = 0; k < a.size(); ++k) {
      ASSERT_EQ(std::memcmp(&a[k], &b[k], sizeof a[k]), 0) << toSeconds(now);
    }
  }
  EXPECT_GT((obstacles->driven(2).p - kStart).norm(), 0.5);
}

}  // namespace
}  // namespace marsim::scene
