// SPDX-License-Identifier: BSD-3-Clause
// With on_crash:=respawn a LiDAR, a controller and a quadrotor are killed: the first two come back
// and go on where they were, the third one's UAV is lost, and the others fly on.
#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <string>
#include <vector>

#include <diagnostic_msgs/DiagnosticArray.h>
#include <geometry_msgs/PoseStamped.h>
#include <gtest/gtest.h>
#include <nav_msgs/Odometry.h>
#include <nav_msgs/Path.h>
#include <ros/ros.h>
#include <sensor_msgs/PointCloud2.h>
#include <std_srvs/Trigger.h>
#include <trajectory_msgs/MultiDOFJointTrajectory.h>

#include "process_of.hpp"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace {

using Eigen::Vector3d;
using marsim::TimeNs;
using marsim::test::processOf;
using marsim::test::waitFor;

constexpr double kScanPeriod = 0.1;
constexpr double kAtGoal = 0.02;  // [m]
constexpr double kStrays = 0.02;  // [m] from the planned path, at most

std::string nameOf(std::size_t uav) { return "/uav" + std::to_string(uav); }

struct Place {
  TimeNs stamp;
  Vector3d p_WB;
};

struct Watched {
  std::vector<Place> flown;
  std::vector<Place> planned;
  ros::Subscriber odometry_subscriber, path_subscriber;
  ros::Publisher goal_publisher;

  Vector3d position() const { return flown.back().p_WB; }
};

// Where a path is at a time, straight between its poses.
Vector3d placeAt(const std::vector<Place>& path, TimeNs stamp) {
  const auto after = std::find_if(path.begin(), path.end(),
                                  [stamp](const Place& place) { return place.stamp > stamp; });
  if (after == path.end()) return path.back().p_WB;
  if (after == path.begin()) return path.front().p_WB;
  const Place& before = *(after - 1);
  const double share =
      static_cast<double>(stamp - before.stamp) / static_cast<double>(after->stamp - before.stamp);
  return before.p_WB + share * (after->p_WB - before.p_WB);
}

class Respawn : public testing::Test {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < uavs_.size(); ++i) watch(i);
    ASSERT_TRUE(waitFor([this] { return isUp(); }));
  }
  bool isUp() const {
    return !scans_.empty() && std::all_of(uavs_.begin(), uavs_.end(), [](const Watched& uav) {
      return !uav.flown.empty() && uav.goal_publisher.getNumSubscribers() > 0;
    });
  }

  void watch(std::size_t i) {
    Watched& uav = uavs_.at(i);
    uav.odometry_subscriber = handle_.subscribe<nav_msgs::Odometry>(
        nameOf(i) + "/odom", 1000, [&uav](const nav_msgs::OdometryConstPtr& m) {
          uav.flown.push_back({marsim::ros_nodes::fromRos(m->header.stamp),
                               marsim::ros_nodes::fromPoint(m->pose.pose.position)});
        });
    uav.path_subscriber = handle_.subscribe<nav_msgs::Path>(
        nameOf(i) + "/planned_path", 1, [&uav](const nav_msgs::PathConstPtr& path) {
          uav.planned.clear();
          for (const geometry_msgs::PoseStamped& pose : path->poses) {
            uav.planned.push_back({marsim::ros_nodes::fromRos(pose.header.stamp),
                                   marsim::ros_nodes::fromPoint(pose.pose.position)});
          }
        });
    uav.goal_publisher = handle_.advertise<geometry_msgs::PoseStamped>(nameOf(i) + "/goal", 1);
  }

  // The process that was signalled.
  static int signalNode(const std::string& node, int signal) {
    const int process = processOf(node);
    EXPECT_TRUE(process > 0 && kill(process, signal) == 0) << node;
    return process;
  }
  void sendGoal(std::size_t uav, const Vector3d& goal) {
    geometry_msgs::PoseStamped message;
    message.header.frame_id = "world";
    message.pose.position = marsim::ros_nodes::toPoint(goal);
    uavs_[uav].goal_publisher.publish(message);
  }
  bool arrives(std::size_t uav, const Vector3d& goal) {
    return waitFor([&] { return (uavs_[uav].position() - goal).norm() < kAtGoal; });
  }
  void expectFliesOn(const std::vector<std::size_t>& uavs) {
    std::vector<Vector3d> goals;
    for (const std::size_t uav : uavs) {
      goals.emplace_back(uavs_[uav].position() + Vector3d(0.0, 0.0, 0.2));
      sendGoal(uav, goals.back());
    }
    for (std::size_t i = 0; i < uavs.size(); ++i) {
      EXPECT_TRUE(arrives(uavs[i], goals[i])) << "uav" << uavs[i];
    }
  }
  // Waits until a status of /diagnostics has both texts.
  bool isSaid(const std::string& name, const std::vector<std::string>& words) {
    statuses_.clear();
    return waitFor([&] {
      return std::any_of(statuses_.begin(), statuses_.end(), [&](const auto& status) {
        return status.name == name &&
               std::all_of(words.begin(), words.end(), [&](const auto& word) {
                 return status.message.find(word) != std::string::npos;
               });
      });
    });
  }

  ros::NodeHandle handle_;
  std::array<Watched, 3> uavs_;
  std::vector<double> scans_;  // [s] stamps of uav0's
  std::vector<diagnostic_msgs::DiagnosticStatus> statuses_;
  ros::Subscriber scan_subscriber_ = handle_.subscribe<sensor_msgs::PointCloud2>(
      "uav0/points", 100, [this](const sensor_msgs::PointCloud2ConstPtr& cloud) {
        scans_.push_back(cloud->header.stamp.toSec());
      });
  ros::Subscriber diagnostics_subscriber_ = handle_.subscribe<diagnostic_msgs::DiagnosticArray>(
      "/diagnostics", 1000, [this](const diagnostic_msgs::DiagnosticArrayConstPtr& message) {
        statuses_.insert(statuses_.end(), message->status.begin(), message->status.end());
      });
};

TEST_F(Respawn, ALidarGoesOnWithItsScans) {
  ASSERT_TRUE(waitFor([&] { return scans_.size() > 2; }));
  const int process = signalNode("/uav0/lidar", SIGKILL);
  ASSERT_TRUE(waitFor([&] { return processOf("/uav0/lidar") > 0; }));
  EXPECT_NE(processOf("/uav0/lidar"), process);
  const std::size_t before = scans_.size();
  ASSERT_TRUE(waitFor([&] { return scans_.size() > before + 5; }));
  for (std::size_t i = 1; i < scans_.size(); ++i) {
    EXPECT_GT(scans_[i], scans_[i - 1] + 0.5 * kScanPeriod);
    // Stamps are those of the first firing, a little later in some scans.
    EXPECT_NEAR(std::remainder(scans_[i] - scans_[0], kScanPeriod), 0.0, 0.001) << scans_[i];
  }
  expectFliesOn({0, 1, 2});
}

TEST_F(Respawn, AControllerGoesOnToItsGoal) {
  Watched& uav = uavs_[1];
  const Vector3d start = uav.position(), goal = start + Vector3d(4.0, 0.0, 0.3);
  sendGoal(1, goal);
  ASSERT_TRUE(waitFor([&] { return (uav.position() - start).norm() > 1.2; }));
  const std::vector<Place> planned = uav.planned;
  ASSERT_FALSE(planned.empty());
  signalNode("/uav1/controller", SIGKILL);
  ASSERT_TRUE(arrives(1, goal));
  double strays = 0.0;
  for (const Place& place : uav.flown) {
    if (place.stamp < planned.front().stamp) continue;
    strays = std::max(strays, (place.p_WB - placeAt(planned, place.stamp)).norm());
  }
  EXPECT_LT(strays, kStrays);
  RecordProperty("strays_mm", static_cast<int>(1e3 * strays));
  ASSERT_TRUE(waitFor([&] { return uav.goal_publisher.getNumSubscribers() > 0; }));
  expectFliesOn({0, 1, 2});
}

// Set points that wait for their time when the controller dies.
TEST_F(Respawn, AControllerGoesOnWithItsTrajectory) {
  Watched& uav = uavs_[0];
  ros::Publisher publisher = handle_.advertise<trajectory_msgs::MultiDOFJointTrajectory>(
      nameOf(0) + "/command/trajectory", 1);
  ASSERT_TRUE(waitFor([&] { return publisher.getNumSubscribers() > 0; }));
  const Vector3d start = uav.position();
  trajectory_msgs::MultiDOFJointTrajectory trajectory;
  for (int i = 0; i < 3; ++i) {
    geometry_msgs::Transform transform;
    transform.translation = marsim::ros_nodes::toVector3(start + Vector3d(0.3 * (i + 1), 0, 0));
    trajectory.points.emplace_back();
    trajectory.points.back().transforms.push_back(transform);
    trajectory.points.back().time_from_start = ros::Duration(0.7 * i);
  }
  publisher.publish(trajectory);
  ASSERT_TRUE(waitFor([&] { return (uav.position() - start).norm() > 0.1; }));
  signalNode("/uav0/controller", SIGKILL);
  EXPECT_TRUE(arrives(0, start + Vector3d(0.9, 0.0, 0.0)));
}

// After a reset every node forgets the command that was followed before.
TEST_F(Respawn, AResetIsNotUndone) {
  Watched& uav = uavs_[1];
  std_srvs::Trigger reset;
  const Vector3d before = uav.position();
  ASSERT_TRUE(ros::service::call("/uav1/reset", reset));  // acts at the next state
  signalNode("/uav1/controller", SIGKILL);
  ASSERT_TRUE(waitFor([&] { return processOf("/uav1/controller") > 0; }));
  ASSERT_TRUE(waitFor([&] { return (uav.position() - before).norm() > 1.0; }));
  const std::size_t first = uav.flown.size();
  const TimeNs since = uav.flown.back().stamp;
  ASSERT_TRUE(
      waitFor([&] { return uav.flown.back().stamp > since + 3 * marsim::kNsPerSecond / 2; }));
  for (std::size_t i = first; i < uav.flown.size(); ++i) {
    ASSERT_LT((uav.flown[i].p_WB - uav.flown[first].p_WB).norm(), 0.1);
  }
}

TEST_F(Respawn, DiagnosticsSayWhomTimeWaitsFor) {
  const int process = signalNode("/uav0/controller", SIGSTOP);
  EXPECT_TRUE(isSaid("sim_clock: clock", {"waits for", "/uav0/quadrotor"}));
  EXPECT_TRUE(isSaid("uav0/quadrotor: dynamics", {"time waits for the controller"}));
  kill(process, SIGCONT);
  expectFliesOn({0, 1, 2});
}

TEST_F(Respawn, AQuadrotorEndsItsOwnUavOnly) {
  signalNode("/uav2/quadrotor", SIGKILL);
  EXPECT_TRUE(isSaid("sim_clock: clock", {"waits for", "/uav2/quadrotor"}));
  const std::size_t states = uavs_[2].flown.size();
  expectFliesOn({0, 1});
  EXPECT_TRUE(isSaid("sim_clock: clock", {"running"}));
  EXPECT_EQ(uavs_[2].flown.size(), states);
  EXPECT_EQ(processOf("/uav2/quadrotor"), 0);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "respawn_test");
  return RUN_ALL_TESTS();
}
