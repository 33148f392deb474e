// SPDX-License-Identifier: BSD-3-Clause
// uav0 has ideal dynamics: in lockstep it is at every state where its reference is. uav1 meets wind
// and gusts, and one of its motors becomes weak. uav2 drives on wheels.
#include <cmath>
#include <map>
#include <vector>

#include <geometry_msgs/PoseStamped.h>
#include <geometry_msgs/Twist.h>
#include <gtest/gtest.h>
#include <ros/ros.h>

#include "marsim/MotorStates.h"
#include "marsim/StateReference.h"
#include "marsim/VehicleState.h"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace {

using marsim::test::waitFor;

double distance(const geometry_msgs::Point& a, const geometry_msgs::Point& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

TEST(Conditions, AnIdealVehicleIsWhereItsReferenceIs) {
  ros::NodeHandle nh("uav0");
  std::map<std::uint64_t, geometry_msgs::Point> states, references;
  const ros::Subscriber state = nh.subscribe<marsim::VehicleState>(
      "state", 1000, [&](const marsim::VehicleStateConstPtr& message) {
        states[message->header.stamp.toNSec()] = message->pose.position;
      });
  const ros::Subscriber reference = nh.subscribe<marsim::StateReference>(
      "reference", 1000, [&](const marsim::StateReferenceConstPtr& message) {
        references[message->header.stamp.toNSec()] = message->position;
      });
  ros::Publisher goals = nh.advertise<geometry_msgs::PoseStamped>("goal", 1);
  ASSERT_TRUE(waitFor([&] { return goals.getNumSubscribers() > 0 && states.size() > 10; }));
  geometry_msgs::PoseStamped goal;
  goal.pose.position.x = 4.0;
  goal.pose.position.y = 2.0;
  goal.pose.position.z = 21.0;
  goal.pose.orientation.w = 1.0;
  goals.publish(goal);
  EXPECT_TRUE(
      waitFor([&] { return distance(states.rbegin()->second, goal.pose.position) < 1e-6; }));
  std::size_t compared = 0;
  for (const auto& [stamp, p] : references) {
    const auto at = states.find(stamp);
    if (at == states.end()) continue;
    ++compared;
    ASSERT_LT(distance(at->second, p), 1e-4) << stamp;
  }
  EXPECT_GT(compared, 500U);
}

TEST(Conditions, WindMovesAVehicleAndAWeakMotorTurnsMoreSlowly) {
  ros::NodeHandle nh("uav1");
  std::vector<marsim::VehicleState> states;
  std::vector<marsim::MotorStates> motors;
  const ros::Subscriber state = nh.subscribe<marsim::VehicleState>(
      "state", 1000,
      [&](const marsim::VehicleStateConstPtr& message) { states.push_back(*message); });
  const ros::Subscriber motor = nh.subscribe<marsim::MotorStates>(
      "motor_states", 1000,
      [&](const marsim::MotorStatesConstPtr& message) { motors.push_back(*message); });
  ASSERT_TRUE(waitFor([&] { return !states.empty(); }));
  ASSERT_TRUE(waitFor([&] {
    return !motors.empty() &&
           marsim::toSeconds(marsim::ros_nodes::fromRos(motors.back().header.stamp)) > 11.0;
  }));
  const auto& last = motors.back();
  EXPECT_NEAR(last.speeds[2] * last.speeds[2], 0.5 * last.commands[2] * last.commands[2],
              0.15 * last.commands[2] * last.commands[2]);
  geometry_msgs::Point start;
  start.x = 15.0;
  start.z = 20.0;
  EXPECT_GT(distance(states.back().pose.position, start), 0.05);
}

TEST(Conditions, AVehicleOnWheelsDrivesByCmdVel) {
  ros::NodeHandle nh("uav2");
  marsim::VehicleState now;
  const ros::Subscriber state = nh.subscribe<marsim::VehicleState>(
      "state", 1000, [&](const marsim::VehicleStateConstPtr& message) { now = *message; });
  ros::Publisher commands = nh.advertise<geometry_msgs::Twist>("cmd_vel", 1);
  ASSERT_TRUE(waitFor([&] { return commands.getNumSubscribers() > 0 && now.on_ground; }));
  const geometry_msgs::Point start = now.pose.position;
  geometry_msgs::Twist forward;
  forward.linear.x = 0.8;
  EXPECT_TRUE(waitFor([&] {
    commands.publish(forward);
    return distance(now.pose.position, start) > 1.0;
  }));
  EXPECT_GT(now.pose.position.x - start.x, 0.9);
  EXPECT_NEAR(now.pose.position.y, start.y, 0.01);
  EXPECT_LT(std::abs(now.pose.position.z - start.z), 0.3);
  EXPECT_TRUE(now.on_ground);
  EXPECT_TRUE(waitFor([&] { return now.velocity.x == 0.0; })) << "without new commands";
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "conditions_test");
  return RUN_ALL_TESTS();
}
