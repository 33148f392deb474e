// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/inputs.hpp"

#include <limits>
#include <string>

#include <geometry_msgs/TwistStamped.h>
#include <gtest/gtest.h>
#include <nav_msgs/Path.h>
#include <sensor_msgs/PointCloud2.h>

#include "marsim/Peers.h"
#include "marsim/VehicleState.h"
#include "ros/messages/mavros_messages.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(MessageFault, UsualMessagesHaveNone) {
  geometry_msgs::TwistStamped twist;
  twist.header.stamp = ros::TIME_MAX;
  twist.header.frame_id = std::string(1000, 'x');
  twist.twist.linear.x = -1e9;
  EXPECT_EQ(faultOf(twist), "");
  EXPECT_EQ(faultOf(twist, Numbers::kFinite), "");
  nav_msgs::Path path;
  path.poses.resize(2000);
  EXPECT_EQ(faultOf(path), "");
  sensor_msgs::PointCloud2 cloud;
  cloud.data.resize(5'000'000);
  EXPECT_EQ(faultOf(cloud), "") << "bytes are no entries";
  EXPECT_EQ(faultOf(mavros_msgs::PositionTarget()), "");
}

TEST(MessageFault, NumbersThatNobodyMeansAreNamed) {
  geometry_msgs::TwistStamped twist;
  twist.twist.linear.y = 1e308;
  EXPECT_EQ(faultOf(twist), "number 2 of the message is 1e+308, allowed: -1e+09 to 1e+09");
  twist.twist.linear.x = -2e9;
  EXPECT_EQ(faultOf(twist), "number 1 of the message is -2e+09, allowed: -1e+09 to 1e+09")
      << "the first one";
  marsim::Peers peers;
  peers.peers.resize(3);
  peers.peers[2].position[1] = 1e30F;
  EXPECT_EQ(faultOf(peers).substr(0, 40), "number 34 of the message is 1e+30, allow");
  mavros_msgs::PositionTarget target;
  target.yaw_rate = -1e20F;
  EXPECT_EQ(faultOf(target).substr(0, 35), "number 11 of the message is -1e+20,");
}

TEST(MessageFault, InfinityIsOneInStreamsOnly) {
  marsim::VehicleState state;
  state.velocity.z = kInfinity;
  EXPECT_EQ(faultOf(state), "") << "whoever reads it says what it means";
  EXPECT_NE(faultOf(state, Numbers::kFinite).find(" is inf, allowed: "), std::string::npos);
  state.velocity.z = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(faultOf(state, Numbers::kFinite).find(" is nan, allowed: "), std::string::npos);
}

TEST(MessageFault, EndlessTextsAndArraysAreNamed) {
  geometry_msgs::TwistStamped twist;
  twist.header.frame_id = std::string(60'000, 'x');
  EXPECT_EQ(faultOf(twist), "a text has 60000 characters, allowed: up to 1000");
  marsim::PeerBody body;
  body.rotors.resize(1'000'001);
  EXPECT_EQ(faultOf(body), "an array has 1000001 entries, allowed: up to 1000000");
}

TEST(LeapFilter, OneStampFarAheadChangesNothing) {
  LeapFilter filter;
  const TimeNs last = fromRos(ros::TIME_MAX);
  EXPECT_TRUE(filter.takes(100 * kNsPerSecond)) << "the first one may be any";
  for (int i = 1; i < 100; ++i) {
    EXPECT_FALSE(filter.takes(last - i * kNsPerSecond)) << "never twice in a row";
    EXPECT_TRUE(filter.takes(100 * kNsPerSecond + i));
  }
  EXPECT_TRUE(filter.takes(110 * kNsPerSecond));
  EXPECT_TRUE(filter.takes(0)) << "another run";
  EXPECT_TRUE(filter.takes(1));
}

TEST(LeapFilter, ATimeThatLeapsIsFollowed) {
  LeapFilter filter;
  EXPECT_TRUE(filter.takes(0));
  EXPECT_FALSE(filter.takes(3600 * kNsPerSecond));
  EXPECT_TRUE(filter.takes(3600 * kNsPerSecond)) << "told again";
  EXPECT_FALSE(filter.takes(7200 * kNsPerSecond));
  EXPECT_FALSE(filter.takes(7300 * kNsPerSecond)) << "that confirms nothing";
  EXPECT_TRUE(filter.takes(7301 * kNsPerSecond));
}

}  // namespace
}  // namespace marsim::ros_nodes
