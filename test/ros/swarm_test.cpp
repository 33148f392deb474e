// SPDX-License-Identifier: BSD-3-Clause
// Three UAVs in one process: each starts at its place and flies where it is told, every scan of
// every one arrives, and there is one map in memory.
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <geometry_msgs/PoseArray.h>
#include <geometry_msgs/PoseStamped.h>
#include <gtest/gtest.h>
#include <nav_msgs/Odometry.h>
#include <ros/package.h>
#include <ros/ros.h>
#include <sensor_msgs/PointCloud2.h>

#include "process_of.hpp"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace {

using Eigen::Vector3d;
using marsim::test::waitFor;

constexpr int kUavs = 3;

struct Watched {
  ros::Subscriber odometry_subscriber, cloud_subscriber;
  ros::Publisher goal_publisher;
  Vector3d first = Vector3d::Zero(), now = Vector3d::Zero();
  std::size_t odometries = 0;
  std::vector<double> stamps;  // [s] of the clouds
};

std::string nameOf(int uav) { return "/uav" + std::to_string(uav); }

class Swarm : public testing::Test {
 protected:
  Swarm() {
    for (int i = 0; i < kUavs; ++i) watch(i);
    starts_subscriber_ = handle_.subscribe<geometry_msgs::PoseArray>(
        "/swarm/starts", 1,
        [this](const geometry_msgs::PoseArrayConstPtr& message) { starts_ = *message; });
  }

  void watch(int i) {
    Watched& uav = uavs_.at(static_cast<std::size_t>(i));
    uav.odometry_subscriber = handle_.subscribe<nav_msgs::Odometry>(
        nameOf(i) + "/odom", 10, [&uav](const nav_msgs::OdometryConstPtr& message) {
          uav.now = marsim::ros_nodes::fromPoint(message->pose.pose.position);
          if (uav.odometries++ == 0) uav.first = uav.now;
        });
    uav.cloud_subscriber = handle_.subscribe<sensor_msgs::PointCloud2>(
        nameOf(i) + "/points", 100, [&uav](const sensor_msgs::PointCloud2ConstPtr& cloud) {
          EXPECT_GT(cloud->width * cloud->height, 1000U);
          uav.stamps.push_back(cloud->header.stamp.toSec());
        });
    uav.goal_publisher = handle_.advertise<geometry_msgs::PoseStamped>(nameOf(i) + "/goal", 1);
  }

  template <class Condition>
  bool waitForAll(Condition condition) {
    return waitFor([&] {
      for (const Watched& uav : uavs_) {
        if (!condition(uav)) return false;
      }
      return true;
    });
  }

  ros::NodeHandle handle_;
  ros::Subscriber starts_subscriber_;
  geometry_msgs::PoseArray starts_;
  std::array<Watched, kUavs> uavs_;
};

TEST_F(Swarm, FliesAndEveryScanArrives) {
  ASSERT_TRUE(waitForAll([](const Watched& uav) {
    return uav.odometries > 0 && uav.stamps.size() > 1 &&
           uav.goal_publisher.getNumSubscribers() > 0;
  }));
  ASSERT_EQ(starts_.poses.size(), static_cast<std::size_t>(kUavs));
  std::array<Vector3d, kUavs> goals;
  for (std::size_t i = 0; i < kUavs; ++i) {
    const Vector3d start = marsim::ros_nodes::fromPoint(starts_.poses[i].position);
    EXPECT_LT((uavs_[i].first - start).norm(), 0.05) << "uav " << i;
    goals[i] = start + Vector3d(0.0, 0.0, 0.5 + 0.2 * static_cast<double>(i));
    geometry_msgs::PoseStamped goal;
    goal.header.frame_id = "world";
    goal.pose.position = marsim::ros_nodes::toPoint(goals[i]);
    uavs_[i].goal_publisher.publish(goal);
  }
  EXPECT_TRUE(waitFor([&] {
    for (std::size_t i = 0; i < kUavs; ++i) {
      if ((uavs_[i].now - goals[i]).norm() > 0.1) return false;
    }
    return true;
  }));
  ASSERT_TRUE(waitForAll([](const Watched& uav) { return uav.stamps.size() >= 20; }));
  for (std::size_t i = 0; i < kUavs; ++i) {
    const std::vector<double>& stamps = uavs_[i].stamps;
    for (std::size_t k = 1; k < stamps.size(); ++k) {
      EXPECT_NEAR(stamps[k] - stamps[k - 1], 0.1, 1e-6) << "uav " << i << ", scan " << k;
    }
  }
}

TEST_F(Swarm, OneProcessHasOneMap) {
  ASSERT_TRUE(waitForAll([](const Watched& uav) { return !uav.stamps.empty(); }));
  const int process = marsim::test::processOf("/marsim_manager");
  ASSERT_GT(process, 0);
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  int mapped = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(".surfels") != std::string::npos) ++mapped;
  }
  EXPECT_EQ(mapped, 1);
  std::vector<std::string> nodes;
  ASSERT_TRUE(ros::master::getNodes(nodes));
  for (const std::string& node : nodes) {
    EXPECT_EQ(node.find("/uav"), std::string::npos) << node << " is a process of its own";
  }
}

// The nodes that roslaunch would start.
std::multiset<std::string> nodesOf(const std::string& arguments) {
  const std::string command = "roslaunch --nodes '" + ros::package::getPath("marsim") +
                              "/launch/swarm.launch' " + arguments;
  std::multiset<std::string> nodes;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return nodes;
  std::array<char, 512> buffer{};
  std::string output;
  while (fgets(buffer.data(), buffer.size(), pipe) != nullptr) output += buffer.data();
  pclose(pipe);
  std::istringstream words(output);
  for (std::string word; words >> word;) nodes.insert(word);
  return nodes;
}

TEST(SwarmLaunch, StartsThreeNodesForEachUav) {
  std::multiset<std::string> expected{"/sim_clock", "/map_server", "/swarm"};
  EXPECT_EQ(nodesOf("n:=0"), expected) << "those that say what is wrong";
  EXPECT_EQ(nodesOf("n:=1000"), expected);
  for (int i = 0; i < 10; ++i) {
    for (const char* node : {"/quadrotor", "/controller", "/lidar"}) {
      expected.insert(nameOf(i) + node);
    }
  }
  EXPECT_EQ(nodesOf("n:=10"), expected);
  EXPECT_EQ(nodesOf("n:=10 nodelets:=true"), std::multiset<std::string>{"/marsim_manager"});
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "swarm_test");
  ros::NodeHandle handle;
  return RUN_ALL_TESTS();
}
