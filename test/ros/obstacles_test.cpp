// SPDX-License-Identifier: BSD-3-Clause
// Points of scans lie on obstacles as these stand at the points' own times; a driven one goes as it
// is told, and the scans show that.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <geometry_msgs/Twist.h>
#include <gtest/gtest.h>
#include <ros/ros.h>
#include <sensor_msgs/PointCloud2.h>
#include <sensor_msgs/point_cloud2_iterator.h>

#include "marsim/DrivenObstacles.h"
#include "marsim/ObstaclePaths.h"
#include "marsim/Obstacles.h"
#include "marsim/VehicleState.h"
#include "marsim/config/load.hpp"
#include "marsim/map/load_map.hpp"
#include "ros/common/obstacle_listener.hpp"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace marsim::test {
namespace {

using scene::Obstacles;

/// How far a point is from an obstacle's true surface [m].
double distanceTo(const Obstacles& obstacles, std::size_t number, TimeNs time,
                  const Eigen::Vector3d& p_W) {
  const Eigen::Vector3d p = obstacles.poseAt(number, time).inverse() * p_W;
  const double half = 0.5 * obstacles.sizeOf(number);
  switch (obstacles.groupOf(number).shape) {
    case scene::ObstacleShape::kSphere:
      return std::abs(p.norm() - half);
    case scene::ObstacleShape::kBox: {
      const Eigen::Vector3d outside = (p.cwiseAbs().array() - half).matrix();
      return outside.maxCoeff() > 0.0 ? outside.cwiseMax(0.0).norm() : -outside.maxCoeff();
    }
    default:  // a UAV, by its ball
      return std::max(p.norm() - half, 0.0);
  }
}

// Ten messages a simulated second, each of the next two seconds as the obstacles then are.
void expectPaths(const std::vector<marsim::ObstaclePathsConstPtr>& paths,
                 const Obstacles& obstacles, const marsim::DrivenObstacle& cart) {
  ASSERT_GT(paths.size(), 20U);
  for (std::size_t m = 0; m < paths.size(); ++m) {
    const TimeNs stamp = ros_nodes::fromRos(paths[m]->header.stamp);
    const TimeNs step = toNs(paths[m]->step.toSec());
    EXPECT_EQ(step, 100'000'000);
    if (m > 0) {
      EXPECT_EQ(stamp, ros_nodes::fromRos(paths[m - 1]->header.stamp) + step);
    }
    ASSERT_EQ(paths[m]->obstacles.size(), obstacles.size());
    for (std::size_t i = 0; i < obstacles.size(); ++i) {
      const auto& path = paths[m]->obstacles[i];
      EXPECT_EQ(path.name, obstacles.nameOf(i));
      EXPECT_EQ(path.size, obstacles.sizeOf(i));
      ASSERT_EQ(path.positions.size(), 21U);
      for (std::size_t k = 0; k < 21 && !obstacles.isDriven(i); ++k) {
        const Eigen::Vector3d p = obstacles.poseAt(i, stamp + static_cast<TimeNs>(k) * step).p;
        EXPECT_EQ(ros_nodes::fromPoint(path.positions[k]), p) << path.name;
      }
    }
  }
  const auto& way = paths.back()->obstacles[*obstacles.numberOf(cart.name)].positions;
  EXPECT_NEAR(std::hypot(way[20].x - way[0].x, way[20].y - way[0].y), 2.0 * 0.5, 1e-6);
}

TEST(ObstaclesOverRos, ScansShowThemWhereTheyAreAndTheDrivenOneIsDriven) {
  ros::NodeHandle nh;
  marsim::ObstaclesConstPtr told;
  std::vector<sensor_msgs::PointCloud2ConstPtr> scans;
  std::map<ros::Time, marsim::VehicleStateConstPtr> states;
  std::vector<marsim::DrivenObstaclesConstPtr> driven;
  std::vector<marsim::ObstaclePathsConstPtr> paths;
  const ros::Subscriber subscribers[] = {
      nh.subscribe<marsim::Obstacles>("/obstacles", 1, [&](const auto& m) { told = m; }),
      nh.subscribe<sensor_msgs::PointCloud2>("/uav0/points", 100,
                                             [&](const auto& m) { scans.push_back(m); }),
      nh.subscribe<marsim::VehicleState>("/uav0/state", 1000,
                                         [&](const auto& m) { states[m->header.stamp] = m; }),
      nh.subscribe<marsim::DrivenObstacles>("/obstacles/driven", 1000,
                                            [&](const auto& m) { driven.push_back(m); }),
      nh.subscribe<marsim::ObstaclePaths>("/obstacles/paths", 100,
                                          [&](const auto& m) { paths.push_back(m); })};
  ros::Publisher command = nh.advertise<geometry_msgs::Twist>("/obstacles/cart_0/cmd_vel", 1, true);
  ASSERT_TRUE(waitFor([&] { return told && !scans.empty() && !driven.empty(); }));
  EXPECT_EQ(driven.back()->obstacles.at(0).position.x, 2.0);
  geometry_msgs::Twist twist;
  twist.linear.x = 0.5;
  twist.angular.z = 1.0;
  command.publish(twist);
  const ros::Time begun = ros::Time::now();
  ASSERT_TRUE(waitFor([&] { return (ros::Time::now() - begun).toSec() > 3.0; }));
  // As asked for: on a circle of 0.5 m.
  const auto& cart = driven.back()->obstacles.at(0);
  EXPECT_NEAR(cart.velocity.x, 0.5 * std::cos(cart.yaw), 1e-9);
  EXPECT_NEAR(std::hypot(cart.position.x - 2.0, cart.position.y - 0.5), 0.5, 0.02);

  // An equal set, made here.
  map::SurfelMapConfig map_config;
  const auto map = map::loadSurfelMap(config::resolveMap("forest"), map_config).map;
  Obstacles obstacles(config::readObstacles(told->settings, "told"), ros_nodes::clearanceIn(*map),
                      "told");
  EXPECT_EQ(obstacles.digest(), told->digest);
  expectPaths(paths, obstacles, driven.back()->obstacles.at(0));
  // Above the ground nothing else is nearer than 2.4 m to the start: what is, is an obstacle.
  std::set<std::size_t> seen;
  std::size_t on_obstacles = 0;
  double worst = 0.0;
  const Eigen::Vector3d lidar_B = config::loadLidar("vlp16").X_BS.p;
  const Eigen::Quaterniond q_BS = config::loadLidar("vlp16").X_BS.q;
  std::size_t driven_so_far = 0;
  const std::size_t cart_number = *obstacles.numberOf("cart_0");
  for (const auto& scan : scans) {
    // Told as nodes are: a moment ahead.
    for (; driven_so_far < driven.size(); ++driven_so_far) {
      const auto& message = driven[driven_so_far];
      if (message->header.stamp > scan->header.stamp + ros::Duration(0.13)) break;
      const auto& state = message->obstacles.at(0);
      obstacles.drive(
          *obstacles.numberOf(state.name),
          {ros_nodes::fromRos(message->header.stamp), ros_nodes::fromPoint(state.position),
           ros_nodes::fromVector3(state.velocity), state.yaw, state.yaw_rate});
    }
    sensor_msgs::PointCloud2ConstIterator<float> x(*scan, "x"), time(*scan, "time");
    for (; x != x.end(); ++x, ++time) {
      const TimeNs stamp = ros_nodes::fromRos(scan->header.stamp) + toNs(time[0]);
      const auto state = states.lower_bound(ros_nodes::toRos(stamp));
      if (state == states.end() || state->second->on_ground) continue;
      const Pose X_WB{ros_nodes::fromQuaternion(state->second->pose.orientation),
                      ros_nodes::fromPoint(state->second->pose.position)};
      const Eigen::Vector3d p_W = X_WB * (lidar_B + q_BS * Eigen::Vector3d(x[0], x[1], x[2]));
      if (p_W.head<2>().norm() > 2.0 || p_W.z() < 0.9) continue;
      double nearest = 9.0;
      std::size_t which = 0;
      for (std::size_t i = 0; i < obstacles.size(); ++i) {
        const double distance = distanceTo(obstacles, i, stamp, p_W);
        if (distance < nearest) {
          nearest = distance;
          which = i;
        }
      }
      worst = std::max(worst, nearest);
      EXPECT_LT(nearest, 0.03) << "near " << obstacles.nameOf(which) << " at " << toSeconds(stamp);
      if (nearest < 0.03) {
        ++on_obstacles;
        seen.insert(which);
      }
    }
  }
  EXPECT_GT(on_obstacles, 1000U);
  EXPECT_GT(seen.size(), 8U);
  EXPECT_TRUE(seen.count(cart_number) == 1);
  RecordProperty("worst_mm", static_cast<int>(1000.0 * worst));
}

}  // namespace
}  // namespace marsim::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "obstacles_test");
  return RUN_ALL_TESTS();
}
