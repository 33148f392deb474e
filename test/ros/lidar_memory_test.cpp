// SPDX-License-Identifier: BSD-3-Clause
// A subscriber that reads no more makes the LiDAR node's memory grow to a bound only.
#include <csignal>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>
#include <sensor_msgs/PointCloud2.h>

#include "process_of.hpp"
#include "wait_for.hpp"

namespace marsim::test {
namespace {

/// [kB] of a process that no other one shares and no file holds; 0 where it does not run.
int memoryOf(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/smaps_rollup");
  std::string word;
  while (file >> word && word != "Private_Dirty:") continue;
  int kibi = 0;
  file >> kibi;
  return kibi;
}

TEST(LidarMemory, IsBoundedForASlowSubscriber) {
  ros::NodeHandle nh;
  double clock = 0.0;  // [s]
  int relayed = 0;
  const ros::Subscriber clock_subscriber = nh.subscribe<rosgraph_msgs::Clock>(
      "/clock", 1000, [&](const rosgraph_msgs::ClockConstPtr& m) { clock = m->clock.toSec(); });
  ros::Subscriber relay_subscriber = nh.subscribe<sensor_msgs::PointCloud2>(
      "/relayed", 10, [&](const sensor_msgs::PointCloud2ConstPtr&) { ++relayed; });
  ASSERT_TRUE(waitFor([&] { return relayed > 0; }));
  relay_subscriber.shutdown();
  const int relay = processOf("/relay"), lidar = processOf("/uav0/lidar");
  ASSERT_GT(relay, 0);
  ASSERT_GT(lidar, 0);
  kill(relay, SIGSTOP);
  const double stopped = clock;
  bool has_come = waitFor([&] { return clock > stopped + 20.0; });
  const int early = memoryOf(lidar);
  has_come = has_come && waitFor([&] { return clock > stopped + 120.0; });
  const int late = memoryOf(lidar);
  kill(relay, SIGCONT);
  EXPECT_TRUE(has_come);
  EXPECT_GT(early, 0);
  // The bound is a few clouds of 480 kB; a queue without bound would grow by 480 MB.
  EXPECT_LE(late, early + 3000) << early << " kB after 20 s";
  RecordProperty("early_kb", early);
  RecordProperty("late_kb", late);
}

/// The subscriber that the test stops.
int relay() {
  ros::NodeHandle nh;
  const ros::Publisher out = nh.advertise<sensor_msgs::PointCloud2>("/relayed", 1);
  const ros::Subscriber in = nh.subscribe<sensor_msgs::PointCloud2>(
      "/uav0/points", 1, [&](const sensor_msgs::PointCloud2ConstPtr& m) { out.publish(m); });
  ros::spin();
  return 0;
}

}  // namespace
}  // namespace marsim::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "lidar_memory_test");
  if (argc > 1 && std::string(argv[1]) == "relay") return marsim::test::relay();
  ros::NodeHandle keep_running;
  return RUN_ALL_TESTS();
}
