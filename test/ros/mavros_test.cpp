// SPDX-License-Identifier: BSD-3-Clause
// Plays a program that flies by MAVROS: streams set points, takes OFFBOARD, arms, flies, stops
// streaming, and lands.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <geometry_msgs/PoseStamped.h>
#include <geometry_msgs/TwistStamped.h>
#include <gtest/gtest.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>
#include <sensor_msgs/BatteryState.h>
#include <sensor_msgs/Imu.h>
#include <sensor_msgs/Joy.h>

#include "ros/messages/conversions.hpp"
#include "ros/messages/mavros_messages.hpp"
#include "wait_for.hpp"

namespace marsim {
namespace {

using Eigen::Vector3d;
using test::waitFor;
namespace mavros_msgs = ros_nodes::mavros_msgs;

constexpr double kPatience = 90.0;      // [s] of wall time
constexpr double kStreamPeriod = 0.05;  // [s] of simulated time

class MavrosClient : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(waitFor([&] { return !poses_.empty() && connected(); }, kPatience));
    for (ros::ServiceClient* client : {&arming_, &take_off_, &land_, &set_mode_}) {
      ASSERT_TRUE(client->waitForExistence(ros::Duration(-1.0))) << client->getService();
    }
    ASSERT_TRUE(waitFor([&] { return raw_.getNumSubscribers() > 0; }, kPatience));
  }

  bool connected() const { return !states_.empty() && states_.back().connected != 0; }
  std::string mode() const { return states_.back().mode; }
  bool armed() const { return states_.back().armed != 0; }
  double now() const { return poses_.back().header.stamp.toSec(); }
  Vector3d position() const { return ros_nodes::fromPoint(poses_.back().pose.position); }

  bool setMode(const std::string& mode) {
    mavros_msgs::SetMode service;
    service.request.custom_mode = mode;
    EXPECT_TRUE(set_mode_.call(service));
    return service.response.mode_sent != 0;
  }
  bool arm(bool armed) {
    mavros_msgs::CommandBool service;
    service.request.value = armed ? 1 : 0;
    EXPECT_TRUE(arming_.call(service));
    EXPECT_EQ(service.response.result == 0, service.response.success != 0);
    return service.response.success != 0;
  }
  static mavros_msgs::PositionTarget target(std::uint16_t mask) {
    mavros_msgs::PositionTarget target;
    target.coordinate_frame = 1;
    target.type_mask = mask;
    return target;
  }

  /// Handles messages until the condition holds, streaming a set point at 20 Hz.
  template <class Condition>
  bool stream(mavros_msgs::PositionTarget target, Condition condition) {
    double sent = 0.0;
    return waitFor(
        [&] {
          if (now() >= sent + kStreamPeriod) {
            sent = now();
            target.header.stamp = poses_.back().header.stamp;
            raw_.publish(target);
          }
          return condition();
        },
        kPatience);
  }
  bool command(std::uint16_t number, float param1) {
    mavros_msgs::CommandLong command;
    command.request.command = number;
    command.request.param1 = param1;
    return command_.call(command) && command.response.success == 1;
  }
  bool pass(double seconds) {
    const double end = now() + seconds;
    return waitFor([&] { return now() >= end; }, kPatience);
  }

  ros::NodeHandle nh_{"/mavros"};
  std::vector<mavros_msgs::State> states_;
  std::vector<geometry_msgs::PoseStamped> poses_;
  nav_msgs::Odometry odom_;
  geometry_msgs::TwistStamped velocity_;
  int imu_samples_ = 0, landed_ = 0;
  ros::Subscriber state_subscriber_ = nh_.subscribe<mavros_msgs::State>(
      "state", 100,
      [this](const boost::shared_ptr<const mavros_msgs::State>& m) { states_.push_back(*m); });
  ros::Subscriber pose_subscriber_ = nh_.subscribe<geometry_msgs::PoseStamped>(
      "local_position/pose", 1000,
      [this](const geometry_msgs::PoseStampedConstPtr& m) { poses_.push_back(*m); });
  ros::Subscriber odom_subscriber_ = nh_.subscribe<nav_msgs::Odometry>(
      "local_position/odom", 10, [this](const nav_msgs::OdometryConstPtr& m) { odom_ = *m; });
  ros::Subscriber velocity_subscriber_ = nh_.subscribe<geometry_msgs::TwistStamped>(
      "local_position/velocity_local", 10,
      [this](const geometry_msgs::TwistStampedConstPtr& m) { velocity_ = *m; });
  ros::Subscriber imu_subscriber_ = nh_.subscribe<sensor_msgs::Imu>(
      "imu/data", 10, [this](const sensor_msgs::ImuConstPtr&) { ++imu_samples_; });
  ros::Subscriber landed_subscriber_ = nh_.subscribe<mavros_msgs::ExtendedState>(
      "extended_state", 10, [this](const boost::shared_ptr<const mavros_msgs::ExtendedState>& m) {
        landed_ = m->landed_state;
      });
  ros::Publisher raw_ = nh_.advertise<mavros_msgs::PositionTarget>("setpoint_raw/local", 10);
  ros::Publisher vision_ = nh_.advertise<geometry_msgs::PoseStamped>("vision_pose/pose", 10);
  ros::ServiceClient arming_ = nh_.serviceClient<mavros_msgs::CommandBool>("cmd/arming");
  ros::ServiceClient take_off_ = nh_.serviceClient<mavros_msgs::CommandTol>("cmd/takeoff");
  ros::ServiceClient land_ = nh_.serviceClient<mavros_msgs::CommandTol>("cmd/land");
  ros::ServiceClient command_ = nh_.serviceClient<mavros_msgs::CommandLong>("cmd/command");
  ros::ServiceClient set_mode_ = nh_.serviceClient<mavros_msgs::SetMode>("set_mode");
};

TEST_F(MavrosClient, FliesOffboardLosesItsStreamAndLands) {
  // On the ground: nothing is armed, and OFFBOARD needs set points.
  EXPECT_FALSE(armed());
  EXPECT_EQ(mode(), "AUTO.LOITER");
  EXPECT_FALSE(setMode("OFFBOARD"));
  EXPECT_FALSE(setMode("GUIDED"));
  EXPECT_FALSE(setMode(""));
  EXPECT_TRUE(arm(false)) << "it is so already";

  const Vector3d start = position();
  mavros_msgs::PositionTarget place = target(8 | 16 | 32 | 64 | 128 | 256 | 2048);
  place.position = ros_nodes::toPoint(start + Vector3d(1.0, 0.5, 1.5));
  place.yaw = 0.5F;
  const double begun = now();
  ASSERT_TRUE(stream(place, [&] { return now() > begun + 1.0; }));
  EXPECT_LT((position() - start).norm(), 0.01) << "it is not armed";
  ASSERT_TRUE(stream(place, [&] { return setMode("OFFBOARD"); }))
      << "asked for again, as clients do";
  ASSERT_TRUE(arm(true));
  ASSERT_TRUE(stream(place, [&] {
    return (position() - ros_nodes::fromPoint(place.position)).norm() < 0.1;
  })) << position().transpose();
  EXPECT_TRUE(armed());
  EXPECT_EQ(mode(), "OFFBOARD");
  EXPECT_EQ(states_.back().guided, 1);
  EXPECT_EQ(states_.back().system_status, 4);
  EXPECT_FALSE(arm(false)) << "in flight";
  EXPECT_TRUE(armed());

  // Velocity to the left of the heading at a height, then what cannot be followed.
  mavros_msgs::PositionTarget left = target(1 | 2 | 4 | 64 | 128 | 256 | 1024);
  left.coordinate_frame = 8;
  left.velocity.y = 0.5;
  const Vector3d before = position();
  const double moved = now();
  ASSERT_TRUE(stream(left, [&] { return now() > moved + 3.0; }));
  const Vector3d way = position() - before;
  const double yaw = yawOf(ros_nodes::fromQuaternion(poses_.back().pose.orientation));
  EXPECT_NEAR(yaw, 0.5, 0.1);
  EXPECT_GT(way.dot(Vector3d(-std::sin(0.5), std::cos(0.5), 0.0)), 0.8);
  EXPECT_LT(std::abs(way.dot(Vector3d(std::cos(0.5), std::sin(0.5), 0.0))), 0.3);
  EXPECT_NEAR(ros_nodes::fromVector3(velocity_.twist.linear).norm(), 0.5, 0.15);
  EXPECT_NEAR(odom_.twist.twist.linear.y, 0.5, 0.15) << "in the body frame";

  // Set points that leave nothing, and NaN, do not keep OFFBOARD alive.
  mavros_msgs::PositionTarget bad = target(4095 & ~512);
  mavros_msgs::PositionTarget not_finite = left;
  not_finite.velocity.y = std::numeric_limits<double>::quiet_NaN();
  raw_.publish(not_finite);
  ASSERT_TRUE(stream(bad, [&] { return mode() == "AUTO.LOITER"; }));
  EXPECT_EQ(states_.back().system_status, 5) << "failsafe";
  ASSERT_TRUE(pass(3.0));
  const Vector3d held = position();
  ASSERT_TRUE(pass(1.0));
  EXPECT_LT((position() - held).norm(), 0.05) << "it holds";

  mavros_msgs::CommandTol land;
  ASSERT_TRUE(land_.call(land));
  EXPECT_EQ(land.response.success, 1);
  ASSERT_TRUE(waitFor([&] { return !armed(); }, kPatience));
  EXPECT_EQ(mode(), "AUTO.LAND");
  EXPECT_NEAR(position().z(), start.z(), 0.05);
  EXPECT_FALSE(arm(true)) << "in AUTO.LAND";

  // The other way up: takes off when it is armed.
  mavros_msgs::CommandTol climb;
  climb.request.altitude = 1.0F;
  ASSERT_TRUE(take_off_.call(climb));
  EXPECT_EQ(climb.response.success, 1);
  ASSERT_TRUE(arm(true));
  ASSERT_TRUE(waitFor([&] { return mode() == "AUTO.LOITER"; }, kPatience));
  EXPECT_NEAR(position().z(), start.z() + 1.0, 0.1);
  EXPECT_GT(imu_samples_, 100);

  // A client that lands by its own set points disarms as soon as the flight controller has found
  // the ground.
  mavros_msgs::PositionTarget down = target(1 | 2 | 4 | 64 | 128 | 256 | 1024);
  down.velocity.z = -0.5;
  ASSERT_TRUE(stream(down, [&] { return setMode("OFFBOARD"); }));
  EXPECT_EQ(landed_, mavros_msgs::ExtendedState::kInAir);
  EXPECT_FALSE(command(400, 0.0F)) << "disarming in flight";
  ASSERT_TRUE(stream(down, [&] { return landed_ == mavros_msgs::ExtendedState::kOnGround; }));
  ASSERT_TRUE(stream(down, [&] { return command(400, 0.0F); }));
  ASSERT_TRUE(waitFor([&] { return !armed(); }, kPatience));
  EXPECT_NEAR(position().z(), start.z(), 0.05);
  EXPECT_TRUE(command(246, 1.0F)) << "reboot";
  EXPECT_FALSE(command(9999, 0.0F)) << "unknown";
}

// Battery and remote control, as clients read them.
TEST_F(MavrosClient, BatteryAndRemoteControl) {
  sensor_msgs::BatteryState battery;
  const ros::Subscriber batteries = nh_.subscribe<sensor_msgs::BatteryState>(
      "battery", 10, [&](const sensor_msgs::BatteryStateConstPtr& m) { battery = *m; });
  ASSERT_TRUE(waitFor([&] { return battery.present != 0; }, kPatience));
  ASSERT_EQ(battery.cell_voltage.size(), 4U);
  EXPECT_FLOAT_EQ(battery.cell_voltage[0], 4.2F) << "a Hummingbird's battery never runs down";
  EXPECT_FLOAT_EQ(battery.voltage, 16.8F);
  EXPECT_FLOAT_EQ(battery.percentage, 1.0F);

  mavros_msgs::RCIn rc;
  const ros::Subscriber remotes = nh_.subscribe<mavros_msgs::RCIn>(
      "rc/in", 10, [&](const boost::shared_ptr<const mavros_msgs::RCIn>& m) { rc = *m; });
  ros::NodeHandle uav("/uav0");
  ros::Publisher joystick = uav.advertise<sensor_msgs::Joy>("joy", 10);
  sensor_msgs::Joy joy;
  joy.axes = {0.0F, 1.0F, -0.5F, std::numeric_limits<float>::quiet_NaN(), 7.0F};
  joy.buttons = {0, 1};
  ASSERT_TRUE(waitFor(
      [&] {
        joystick.publish(joy);
        return !rc.channels.empty();
      },
      kPatience));
  EXPECT_EQ(rc.channels, (std::vector<std::uint16_t>{1500, 2000, 1250, 1500, 2000, 1000, 2000}));
}

// A client is compiled with one of the two definitions of State.
TEST_F(MavrosClient, StateHasTheSumOfTheClients) {
  state_subscriber_.shutdown();
  states_.clear();
  ros::SubscribeOptions options;
  options.init<mavros_msgs::State>(
      "state", 10,
      [this](const boost::shared_ptr<const mavros_msgs::State>& m) { states_.push_back(*m); });
  options.md5sum =
      ros::NodeHandle("~").param<std::string>("state_md5", mavros_msgs::State::kMd5SumBefore);
  const ros::Subscriber subscriber = nh_.subscribe(options);
  EXPECT_TRUE(waitFor([&] { return connected(); }, kPatience)) << options.md5sum;
}

TEST_F(MavrosClient, VisionPosesBecomeTheEstimate) {
  std::vector<nav_msgs::Odometry> estimates;
  ros::NodeHandle uav("/uav0");
  const ros::Subscriber subscriber = uav.subscribe<nav_msgs::Odometry>(
      "estimate", 10, [&](const nav_msgs::OdometryConstPtr& m) { estimates.push_back(*m); });
  ASSERT_TRUE(
      waitFor([&] { return subscriber.getNumPublishers() > 0 && vision_.getNumSubscribers() > 0; },
              kPatience));
  geometry_msgs::PoseStamped pose;
  pose.header.stamp = ros_nodes::toRos(5 * kNsPerSecond);
  pose.header.frame_id = "map";
  pose.pose.orientation.w = 1.0;
  pose.pose.position.x = std::numeric_limits<double>::quiet_NaN();
  vision_.publish(pose);  // refused
  pose.pose.position.x = 2.0;
  vision_.publish(pose);
  vision_.publish(pose);  // the same stamp: refused
  pose.header.stamp = ros_nodes::toRos(51 * kNsPerSecond / 10);
  pose.pose.position.x = 3.0;
  ASSERT_TRUE(waitFor([&] { return !estimates.empty(); }, kPatience));
  vision_.publish(pose);
  ASSERT_TRUE(waitFor([&] { return estimates.size() == 2; }, kPatience));
  EXPECT_EQ(estimates[0].pose.pose.position.x, 2.0);
  EXPECT_EQ(estimates[1].pose.pose.position.x, 3.0);
  EXPECT_EQ(estimates[1].header.frame_id, "world");
  EXPECT_EQ(estimates[1].child_frame_id, "uav0/base_link");
}

}  // namespace
}  // namespace marsim

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "mavros_test");
  return RUN_ALL_TESTS();
}
