#include "scenario/goal_flight.hpp"

#include <gtest/gtest.h>

namespace marsim::scenario {
namespace {

using Eigen::Vector3d;

MotionSample at(double seconds, const Vector3d& p_WB, double speed) {
  MotionSample sample;
  sample.stamp = toNs(seconds);
  sample.X_WB.p = p_WB;
  sample.v_WB.x() = speed;
  return sample;
}

const Vector3d kFirst(1.0, 0.0, 2.0);
const Vector3d kSecond(3.0, 0.0, 2.0);

TEST(GoalFlight, WithoutGoalsIsOver) {
  GoalFlight flight({}, 0.1);
  EXPECT_TRUE(flight.over());
  EXPECT_EQ(flight.next(at(0.0, Vector3d::Zero(), 0.0)), nullptr);
}

TEST(GoalFlight, SendsTheNextGoalWhenTheUavHasRestedAtTheLast) {
  GoalFlight flight({kFirst, kSecond}, 0.1);
  const Vector3d* goal = flight.next(at(0.5, Vector3d::Zero(), 0.0));
  ASSERT_NE(goal, nullptr);
  EXPECT_EQ(*goal, kFirst);
  EXPECT_EQ(flight.next(at(1.0, {0.5, 0.0, 2.0}, 1.0)), nullptr);  // on the way
  EXPECT_EQ(flight.next(at(2.0, {0.95, 0.0, 2.0}, 0.05)), nullptr);
  EXPECT_EQ(flight.next(at(2.4, {0.95, 0.0, 2.0}, 0.05)), nullptr);  // not long enough
  goal = flight.next(at(2.5, {0.95, 0.0, 2.0}, 0.05));
  ASSERT_NE(goal, nullptr);
  EXPECT_EQ(*goal, kSecond);
  ASSERT_TRUE(flight.records()[0].reached.has_value());
  EXPECT_EQ(flight.records()[0].reached, toNs(2.0));
  EXPECT_EQ(flight.records()[0].sent, toNs(0.5));
  EXPECT_FALSE(flight.over());
}

TEST(GoalFlight, PassingThroughAGoalDoesNotReachIt) {
  GoalFlight flight({kFirst}, 0.1);
  flight.next(at(0.0, Vector3d::Zero(), 0.0));
  flight.next(at(1.0, kFirst, 2.0));
  flight.next(at(2.0, kFirst, 0.0));
  flight.next(at(2.3, {1.2, 0.0, 2.0}, 0.0));  // blown away
  flight.next(at(2.4, kFirst, 0.0));
  flight.next(at(2.8, kFirst, 0.0));
  EXPECT_FALSE(flight.over());
  flight.next(at(2.9, kFirst, 0.0));
  EXPECT_TRUE(flight.over());
  EXPECT_EQ(flight.records()[0].reached, toNs(2.4));
}

}  // namespace
}  // namespace marsim::scenario
