// SPDX-License-Identifier: BSD-3-Clause
// A UAV spawned on the ground rests with its motors stopped, takes off at its first command,
// follows a full-state reference and can be reset.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <ros/ros.h>
#include <std_srvs/Trigger.h>
#include <tf2_ros/buffer.h>
#include <tf2_ros/transform_listener.h>

#include "marsim/MotorSpeeds.h"
#include "marsim/MotorStates.h"
#include "marsim/StateReference.h"
#include "marsim/Teleport.h"
#include "marsim/VehicleState.h"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace {

using marsim::test::waitFor;

class Ground : public testing::Test {
 protected:
  ros::NodeHandle nh_{"uav0"};
  marsim::VehicleState state_;
  marsim::MotorStates motors_;
  ros::Subscriber state_subscriber_ = nh_.subscribe<marsim::VehicleState>(
      "state", 1000, [this](const marsim::VehicleStateConstPtr& m) { state_ = *m; });
  ros::Subscriber motor_subscriber_ = nh_.subscribe<marsim::MotorStates>(
      "motor_states", 100, [this](const marsim::MotorStatesConstPtr& m) { motors_ = *m; });
  ros::Publisher late_command_ = nh_.advertise<marsim::MotorSpeeds>("motor_speeds", 10);
  ros::Publisher command_ = nh_.advertise<marsim::StateReference>("command/state", 10);
};

TEST_F(Ground, RestsTakesOffFollowsAndResets) {
  ASSERT_TRUE(waitFor([&] {
    return !motors_.speeds.empty() &&
           marsim::toSeconds(marsim::ros_nodes::fromRos(state_.header.stamp)) > 2.0;
  }));
  EXPECT_TRUE(state_.on_ground);
  for (const double speed : motors_.speeds) EXPECT_EQ(speed, 0.0);
  const double rest_z = state_.pose.position.z;

  ASSERT_TRUE(waitFor([&] { return command_.getNumSubscribers() > 0; }));
  marsim::StateReference reference;
  reference.header.frame_id = "world";
  reference.position.z = rest_z + 0.6;
  reference.yaw = 0.3;
  EXPECT_TRUE(waitFor([&] {
    command_.publish(reference);
    return std::abs(state_.pose.position.z - reference.position.z) < 0.05 &&
           std::abs(state_.velocity.z) < 0.05;
  }));
  EXPECT_FALSE(state_.on_ground);
  // The reference is held when nothing more comes.
  waitFor([] { return false; }, 1.5);
  EXPECT_NEAR(state_.pose.position.z, reference.position.z, 0.05);

  const ros::Time before_reset = state_.header.stamp;
  std_srvs::Trigger reset;
  ASSERT_TRUE(ros::service::call("/uav0/reset", reset));
  EXPECT_TRUE(reset.response.success);
  // Back where it started it rests again: what was commanded before is forgotten, also what
  // arrives late.
  marsim::MotorSpeeds late;
  late.header.stamp = before_reset;
  late.speeds.assign(4, 1000.0);
  late_command_.publish(late);
  EXPECT_TRUE(waitFor([&] { return state_.on_ground; }));
  waitFor([] { return false; }, 1.5);
  EXPECT_TRUE(state_.on_ground);
  EXPECT_NEAR(state_.pose.position.z, rest_z, 1e-3);
}

// Far and near, in the air and onto the ground: the vehicle is there at once, at rest, and stays.
TEST_F(Ground, IsTeleported) {
  ASSERT_TRUE(waitFor(
      [&] { return marsim::toSeconds(marsim::ros_nodes::fromRos(state_.header.stamp)) > 0.5; }));
  const auto simulated = [&] {
    return marsim::toSeconds(marsim::ros_nodes::fromRos(state_.header.stamp));
  };
  const auto call = [&](double x, double z, double yaw) {
    marsim::Teleport teleport;
    teleport.request.position.x = x;
    teleport.request.position.z = z;
    teleport.request.yaw = yaw;
    EXPECT_TRUE(ros::service::call("/uav0/teleport", teleport));
    return teleport.response;
  };
  const double ground_z = 0.4;
  for (const double x : {1.5, 1.4}) {  // the second one is nearer than any jump that is noticed
    const std::uint32_t placements = state_.placements;
    const auto response = call(x, 1.6, x);
    EXPECT_TRUE(response.success) << response.message;
    EXPECT_EQ(response.message, "in the air");
    ASSERT_TRUE(waitFor([&] { return state_.placements == placements + 1; }));
    EXPECT_NEAR(state_.pose.position.x, x, 1e-3);
    const double since = simulated();
    double farthest = 0.0;
    ASSERT_TRUE(waitFor([&] {
      farthest = std::max(
          {farthest, std::abs(state_.pose.position.x - x), std::abs(state_.pose.position.z - 1.6)});
      return simulated() > since + 1.5;
    }));
    EXPECT_LT(farthest, 0.02) << "hovers there";
    EXPECT_NEAR(2.0 * std::atan2(state_.pose.orientation.z, state_.pose.orientation.w), x, 0.02);
  }
  EXPECT_FALSE(call(std::nan(""), 1.0, 0.0).success);
  EXPECT_EQ(call(1.0, ground_z, 0.0).message, "on the ground");
  EXPECT_TRUE(waitFor([&] { return state_.on_ground; }));
  EXPECT_NEAR(state_.pose.position.x, 1.0, 1e-3);
}

TEST_F(Ground, TruthDoesNotClaimTheBaseFrame) {
  tf2_ros::Buffer buffer;
  tf2_ros::TransformListener listener(buffer);
  EXPECT_TRUE(
      waitFor([&] { return buffer.canTransform("world", "uav0/base_link_truth", ros::Time(0)); }));
  EXPECT_TRUE(
      waitFor([&] { return buffer.canTransform("uav0/base_link", "uav0/lidar", ros::Time(0)); }));
  EXPECT_FALSE(buffer.canTransform("world", "uav0/base_link", ros::Time(0)));
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "ground_test");
  return RUN_ALL_TESTS();
}
