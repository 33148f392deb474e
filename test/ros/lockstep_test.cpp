// SPDX-License-Identifier: BSD-3-Clause
// Simulated time waits for grants, for the controller and, in lockstep, for the LiDAR: no load of
// the machine tears a flight or loses a scan.
#include <cmath>
#include <csignal>
#include <string>
#include <vector>

#include <geometry_msgs/PoseStamped.h>
#include <gtest/gtest.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>
#include <sensor_msgs/PointCloud2.h>

#include "process_of.hpp"
#include "ros/common/clock_grants.hpp"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace marsim {
namespace {

using test::waitFor;

class Lockstep : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(waitFor([&] { return clock_ > 0 && !odom_.empty() && !scans_.empty(); }));
  }
  // Whether time comes to rest: no new one, and no state, for that long.
  bool comesToRest(double wall_seconds) {
    TimeNs clock = -1;
    std::size_t states = 0;
    ros::WallTime since;
    return waitFor([&] {
      if (clock_ != clock || odom_.size() != states) since = ros::WallTime::now();
      clock = clock_;
      states = odom_.size();
      return (ros::WallTime::now() - since).toSec() > wall_seconds;
    });
  }
  Eigen::Vector3d position() const { return ros_nodes::fromPoint(odom_.back().pose.pose.position); }

  ros::NodeHandle nh_;
  ros_nodes::ClockGrants grants_{nh_, ros::NodeHandle("~")};
  TimeNs clock_ = 0;
  std::vector<nav_msgs::Odometry> odom_;
  std::vector<TimeNs> scans_;  // stamps
  ros::Subscriber clock_subscriber_ = nh_.subscribe<rosgraph_msgs::Clock>(
      "/clock", 1000,
      [this](const rosgraph_msgs::ClockConstPtr& m) { clock_ = ros_nodes::fromRos(m->clock); });
  ros::Subscriber odom_subscriber_ = nh_.subscribe<nav_msgs::Odometry>(
      "uav0/odom", 1000, [this](const nav_msgs::OdometryConstPtr& m) { odom_.push_back(*m); });
  ros::Subscriber scan_subscriber_ = nh_.subscribe<sensor_msgs::PointCloud2>(
      "uav0/points", 100, [this](const sensor_msgs::PointCloud2ConstPtr& m) {
        scans_.push_back(ros_nodes::fromRos(m->header.stamp));
      });
};

TEST_F(Lockstep, ClockGoesAsFarAsGranted) {
  grants_.grant(clock_);  // already past: time rests wherever that reaches it
  ASSERT_TRUE(comesToRest(1.0));
  TimeNs until = clock_ + kNsPerSecond;
  for (int i = 0; i < 3; ++i, until += kNsPerSecond / 2) {
    grants_.grant(until);
    ASSERT_TRUE(waitFor([&] { return clock_ >= until; }));
    ASSERT_TRUE(comesToRest(0.5));
    EXPECT_EQ(clock_, until);
  }
  grants_.leave();
  EXPECT_TRUE(waitFor([&] { return clock_ > until; }));
  // One that falls silent is let go after sim_clock's patience.
  grants_.grant(clock_ + kNsPerSecond);
  const TimeNs last = clock_ + kNsPerSecond;
  EXPECT_TRUE(waitFor([&] { return clock_ > last + kNsPerSecond; }));
}

// Twenty times as fast as real time is more than a LiDAR can follow that should see every state.
TEST_F(Lockstep, NoScanIsDropped) {
  const std::size_t first = scans_.size();
  ASSERT_TRUE(waitFor([&] { return scans_.size() >= first + 40; }));
  for (std::size_t i = first; i + 1 < scans_.size(); ++i) {
    // Stamps are those of the first firing, a little later in some scans.
    EXPECT_NEAR(toSeconds(scans_[i + 1] - scans_[i]), 0.1, 0.001) << "scan " << i;
  }
}

// A controller that sleeps for a while, as processes do where others take the processor.
TEST_F(Lockstep, VehicleWaitsForItsController) {
  ros::Publisher goals = nh_.advertise<geometry_msgs::PoseStamped>("uav0/goal", 1);
  ASSERT_TRUE(waitFor([&] { return goals.getNumSubscribers() > 0; }));
  const Eigen::Vector3d goal = position() + Eigen::Vector3d(0.0, 0.0, 0.3);
  geometry_msgs::PoseStamped message;
  message.pose.position = ros_nodes::toPoint(goal);
  goals.publish(message);
  ASSERT_TRUE(waitFor([&] { return (position() - goal).norm() < 0.02; }));
  const int controller = test::processOf("/uav0/controller");
  ASSERT_GT(controller, 0);
  const std::size_t first = odom_.size();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(kill(controller, SIGSTOP), 0);
    EXPECT_TRUE(comesToRest(0.5)) << "no step without the controller";
    kill(controller, SIGCONT);
    const TimeNs resumed = clock_;
    ASSERT_TRUE(waitFor([&] { return clock_ > resumed + kNsPerSecond; }));
  }
  for (std::size_t i = first; i < odom_.size(); ++i) {
    ASSERT_LT((ros_nodes::fromPoint(odom_[i].pose.pose.position) - goal).norm(), 0.03);
  }
}

}  // namespace
}  // namespace marsim

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "lockstep_test");
  return RUN_ALL_TESTS();
}
