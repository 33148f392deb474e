// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/conversions.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "sim/command_input.hpp"

namespace marsim::ros_nodes {
namespace {

TEST(Conversions, StateRoundTrip) {
  KinematicState state;
  state.stamp = 12'345'678'901;
  state.X_WB = {fromRollPitchYaw(0.1, -0.2, 1.3), {1.0, 2.0, 3.0}};
  state.v_WB = {4.0, 5.0, 6.0};
  state.a_WB = {0.1, 0.2, 0.3};
  state.w_WB_B = {-1.0, 0.5, 0.25};
  state.dw_WB_B = {7.0, 8.0, 9.0};
  marsim::VehicleState message;
  toMessage({state, true, 70'000}, message);
  EXPECT_TRUE(fromMessage(message).on_ground);
  EXPECT_EQ(fromMessage(message).placements, 70'000U);
  const KinematicState back = fromMessage(message).motion;
  EXPECT_EQ(back.stamp, state.stamp);
  EXPECT_EQ(back.X_WB.p, state.X_WB.p);
  EXPECT_EQ(back.X_WB.q.coeffs(), state.X_WB.q.coeffs());
  EXPECT_EQ(back.v_WB, state.v_WB);
  EXPECT_EQ(back.a_WB, state.a_WB);
  EXPECT_EQ(back.w_WB_B, state.w_WB_B);
  EXPECT_EQ(back.dw_WB_B, state.dw_WB_B);
}

TEST(Conversions, TimeKeepsItsNanoseconds) {
  const TimeNs t = 36'000'000'000'001;
  EXPECT_EQ(toRos(t).sec, 36000U);
  EXPECT_EQ(toRos(t).nsec, 1U);
  EXPECT_EQ(fromRos(toRos(t)), t);
}

TEST(Conversions, TimesBeyondThoseOfRosBecomeTheNearest) {
  ros::Time odd;  // as it may come over the network
  odd.sec = odd.nsec = ~std::uint32_t{0};
  for (const TimeNs t :
       {fromRos(odd), fromRos(ros::TIME_MAX) + 1, std::numeric_limits<TimeNs>::max()}) {
    EXPECT_GT(t, 4'294'967'295 * kNsPerSecond);
    EXPECT_EQ(toRos(t), ros::TIME_MAX);
  }
  EXPECT_EQ(toRos(-1), ros::Time());
  EXPECT_EQ(toRos(std::numeric_limits<TimeNs>::min()), ros::Time());
}

TEST(Conversions, TheEpochIsTheStampOfTimeZero) {
  constexpr TimeNs kEpoch = 1'700'000'000 * kNsPerSecond + 7;
  EXPECT_EQ(toRos(2 * kNsPerSecond + 1, kEpoch), ros::Time(1'700'000'002, 8));
  EXPECT_EQ(fromRos(ros::Time(1'700'000'002, 8), kEpoch), 2 * kNsPerSecond + 1);
  EXPECT_EQ(fromRos(ros::Time(1'699'999'999, 7), kEpoch), -kNsPerSecond);
  EXPECT_EQ(fromRos(ros::Time(), kEpoch), 0) << "unset";
  EXPECT_EQ(toRos(std::numeric_limits<TimeNs>::max(), kEpoch), ros::TIME_MAX);
  EXPECT_EQ(toRos(std::numeric_limits<TimeNs>::min(), kEpoch), ros::Time());
}

TEST(Conversions, WorldFrameNames) {
  EXPECT_TRUE(sim::isWorldFrame("world", "world"));
  EXPECT_TRUE(sim::isWorldFrame("/world", "world"));
  EXPECT_TRUE(sim::isWorldFrame("", "world"));
  EXPECT_FALSE(sim::isWorldFrame("map", "world"));
  EXPECT_TRUE(sim::isFrame("/uav0/base_link", "uav0/base_link"));
  EXPECT_FALSE(sim::isFrame("", "uav0/base_link"));
}

}  // namespace
}  // namespace marsim::ros_nodes
