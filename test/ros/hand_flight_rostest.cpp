// SPDX-License-Identifier: BSD-3-Clause
// Flies by a joystick and by scripted keys.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <ros/ros.h>
#include <sensor_msgs/Joy.h>
#include <std_srvs/Trigger.h>

#include "marsim/VehicleState.h"
#include "marsim/common/units.hpp"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace marsim {
namespace {

using Eigen::Vector3d;
using test::waitFor;

constexpr double kPatience = 90.0;   // [s] of wall time
constexpr double kJoyPeriod = 0.05;  // [s] of simulated time

class HandFlight : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(
        waitFor([&] { return states_ > 0 && joy_.getNumSubscribers() > 0 && service_.exists(); },
                kPatience));
  }

  double now() const { return state_.header.stamp.toSec(); }
  Vector3d position() const { return ros_nodes::fromPoint(state_.pose.position); }
  Vector3d velocity() const { return ros_nodes::fromVector3(state_.velocity); }
  bool onGround() const { return state_.on_ground != 0; }

  /// Axes in the order of StickAxes: yaw, throttle, (none), roll, pitch.
  static sensor_msgs::Joy sticks(float yaw, float throttle, float roll, float pitch) {
    sensor_msgs::Joy joy;
    joy.axes = {yaw, throttle, 0.0F, roll, pitch};
    joy.buttons = {0, 0, 0, 0};
    return joy;
  }
  /// Sends the same sticks until the condition holds.
  template <class Condition>
  bool hold(const sensor_msgs::Joy& joy, Condition condition) {
    double sent = -1.0;
    return waitFor(
        [&] {
          if (now() >= sent + kJoyPeriod) {
            sent = now();
            joy_.publish(joy);
          }
          return condition();
        },
        kPatience);
  }
  bool holdFor(const sensor_msgs::Joy& joy, double seconds) {
    const double end = now() + seconds;
    return hold(joy, [&] { return now() >= end; });
  }

  ros::NodeHandle nh_{"/uav0"};
  marsim::VehicleState state_;
  int states_ = 0;
  ros::Subscriber subscriber_ = nh_.subscribe<marsim::VehicleState>(
      "state", 1000, [this](const marsim::VehicleStateConstPtr& message) {
        state_ = *message;
        ++states_;
      });
  ros::Publisher joy_ = nh_.advertise<sensor_msgs::Joy>("joy", 10);
  ros::ServiceClient service_ = nh_.serviceClient<std_srvs::Trigger>("land");
};

TEST_F(HandFlight, JoystickTakesOffFliesAndIsLost) {
  ASSERT_TRUE(hold(sticks(0, 0, 0, 0), [&] { return onGround(); }));
  const Vector3d start = position();
  sensor_msgs::Joy take_off = sticks(0, 0, 0, 0);
  ASSERT_TRUE(holdFor(sticks(0, 0, 0, 0), 0.3));
  EXPECT_LT((position() - start).norm(), 0.01) << "sticks at rest do not fly";
  take_off.buttons[0] = 1;
  joy_.publish(take_off);
  ASSERT_TRUE(hold(sticks(0, 0, 0, 0),
                   [&] { return position().z() > start.z() + 1.2 && velocity().norm() < 0.1; }));

  // Forward at half speed; what cannot be read is not followed.
  sensor_msgs::Joy bad = sticks(0, 0, 0, std::numeric_limits<float>::quiet_NaN());
  joy_.publish(bad);
  ASSERT_TRUE(holdFor(sticks(0, 0, 0, 0.525F), 1.5));
  EXPECT_NEAR(velocity().x(), 1.5, 0.2);
  EXPECT_NEAR(velocity().y(), 0.0, 0.1);
  // The joystick is gone: it stops within a second or two, and stays.
  ASSERT_TRUE(waitFor([&] { return velocity().norm() < 0.02; }, kPatience));
  const Vector3d held = position();
  const double end = now() + 1.0;
  ASSERT_TRUE(waitFor([&] { return now() >= end; }, kPatience));
  EXPECT_LT((position() - held).norm(), 0.05);

  sensor_msgs::Joy land = sticks(0, 0, 0, 0);
  ASSERT_TRUE(holdFor(land, 0.2));
  land.buttons[1] = 1;
  ASSERT_TRUE(hold(land, [&] { return onGround(); }));
  EXPECT_NEAR(position().z(), start.z(), 0.05);
}

TEST_F(HandFlight, ScriptedKeysFlyAndLand) {
  ASSERT_TRUE(waitFor([&] { return onGround(); }, kPatience));
  const Vector3d start = position();
  std::string program;
  ASSERT_TRUE(ros::NodeHandle("~").getParam("program", program));
  program += " --uav uav0 --press 0.5s ";
  std::thread keys([program] {
    EXPECT_EQ(std::system((program + "--keys 'k 4s left*3 a*2 2s l'").c_str()), 0);
  });
  double highest = 0.0;
  EXPECT_TRUE(waitFor(
      [&] {
        highest = std::max(highest, position().z());
        return highest > start.z() + 1.0 && onGround();
      },
      kPatience));
  keys.join();
  // Three presses turn by 30 degrees, two fly 2 m to the left.
  const double yaw = yawOf(ros_nodes::fromQuaternion(state_.pose.orientation));
  EXPECT_NEAR(yaw, radians(30.0), radians(3.0));
  const Vector3d way = position() - start;
  EXPECT_NEAR(way.dot(Vector3d(-std::sin(yaw), std::cos(yaw), 0.0)), 2.0, 0.5);
  EXPECT_NEAR(way.dot(Vector3d(std::cos(yaw), std::sin(yaw), 0.0)), 0.0, 0.2);
  EXPECT_NE(std::system((program + "--keys 'k 4x'").c_str()), 0);
  EXPECT_NE(std::system((program + "--keys w --forward fast").c_str()), 0);
  EXPECT_NE(std::system((program + "< /dev/null").c_str()), 0) << "no terminal";
}

}  // namespace
}  // namespace marsim

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "hand_flight_rostest");
  return RUN_ALL_TESTS();
}
