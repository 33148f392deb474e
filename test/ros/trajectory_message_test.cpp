// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/trajectory_message.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <ros/message_traits.h>

#include "marsim/common/error.hpp"

namespace marsim::ros_nodes {
namespace {

trajectory_msgs::MultiDOFJointTrajectoryPoint pointAt(double x, double seconds) {
  trajectory_msgs::MultiDOFJointTrajectoryPoint point;
  point.time_from_start = ros::Duration(seconds);
  point.transforms.resize(1);
  point.transforms[0].translation.x = x;
  return point;
}

std::string refusal(const trajectory_msgs::MultiDOFJointTrajectory& message) {
  try {
    fromMessage(message, 0.0);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TrajectoryMessage, IsThatOfRotorS) {
  EXPECT_STREQ(ros::message_traits::md5sum<trajectory_msgs::MultiDOFJointTrajectory>(),
               "ef145a45a5f47b77b7f5cdde4b16c942");
}

TEST(TrajectoryMessage, PointsAreRead) {
  trajectory_msgs::MultiDOFJointTrajectory message;
  message.points = {pointAt(1.0, 0.5), pointAt(2.0, 0.75)};
  auto& moving = message.points[1];
  moving.transforms[0].rotation.z = 2.0 * std::sin(0.2);  // of length 2
  moving.transforms[0].rotation.w = 2.0 * std::cos(0.2);
  moving.velocities.resize(1);
  moving.velocities[0].linear.y = 3.0;
  moving.velocities[0].angular.z = 0.7;
  moving.accelerations.resize(1);
  moving.accelerations[0].linear.z = -4.0;

  const sim::TrajectoryCommand command = fromMessage(message, -1.0);
  EXPECT_TRUE(command.not_given.empty());
  const auto& points = command.points;
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].after, 0);
  EXPECT_FALSE(points[0].moves);
  EXPECT_EQ(points[0].reference.p_WB.x(), 1.0);
  EXPECT_EQ(points[0].reference.yaw, -1.0) << "a quaternion of zeros keeps the yaw";
  EXPECT_EQ(points[1].after, 250'000'000);
  EXPECT_TRUE(points[1].moves);
  EXPECT_EQ(points[1].reference.p_WB.x(), 2.0);
  EXPECT_NEAR(points[1].reference.yaw, 0.4, 1e-12);
  EXPECT_EQ(points[1].reference.v_WB.y(), 3.0);
  EXPECT_EQ(points[1].reference.yaw_rate, 0.7);
  EXPECT_EQ(points[1].reference.a_WB.z(), -4.0);
}

TEST(TrajectoryMessage, RatesAndAccelerationsThatAreNotFiniteCountAsNotGiven) {
  trajectory_msgs::MultiDOFJointTrajectory message;
  message.points = {pointAt(1.0, 0.0), pointAt(2.0, 0.1)};
  for (auto& point : message.points) {
    point.velocities.resize(1);
    point.velocities[0].linear.x = 3.0;
    point.velocities[0].angular.z = std::nan("");
    point.accelerations.resize(1);
  }
  message.points[1].accelerations[0].linear.y = std::numeric_limits<double>::infinity();
  const sim::TrajectoryCommand command = fromMessage(message, 0.0);
  const std::set<std::string> expected{"accelerations", "velocities.angular.z"};
  EXPECT_EQ(command.not_given, expected);
  ASSERT_EQ(command.points.size(), 2U);
  EXPECT_EQ(command.points[1].reference.v_WB.x(), 3.0);
  EXPECT_EQ(command.points[1].reference.a_WB.y(), 0.0);
  EXPECT_EQ(command.points[0].reference.yaw_rate, 0.0);
  message.points[1].velocities[0].linear.z = std::nan("");
  EXPECT_NE(refusal(message).find("points[1]"), std::string::npos) << "a velocity is needed";
}

TEST(TrajectoryMessage, InvalidTrajectoriesAreRefused) {
  trajectory_msgs::MultiDOFJointTrajectory message;
  EXPECT_NE(refusal(message).find("points is empty"), std::string::npos);
  message.points = {pointAt(0.0, 0.0), pointAt(std::nan(""), 0.1)};
  EXPECT_NE(refusal(message).find("points[1]"), std::string::npos);
  message.points[1].transforms.clear();
  EXPECT_NE(refusal(message).find("points[1].transforms"), std::string::npos);
}

}  // namespace
}  // namespace marsim::ros_nodes
