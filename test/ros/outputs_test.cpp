// SPDX-License-Identifier: BSD-3-Clause
// Several outputs of one LiDAR: nothing is rendered before somebody subscribes, and then every
// topic shows the same scans.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <diagnostic_msgs/DiagnosticArray.h>
#include <geometry_msgs/PoseStamped.h>
#include <gtest/gtest.h>
#include <ros/ros.h>
#include <sensor_msgs/PointCloud2.h>
#include <sensor_msgs/point_cloud2_iterator.h>

#include "ros/messages/livox_custom_message.hpp"
#include "wait_for.hpp"

namespace marsim::test {
namespace {

using ros_nodes::LivoxCustomMessage;
using sensor_msgs::PointCloud2;

template <class Message>
using ByStamp = std::map<ros::Time, boost::shared_ptr<const Message>>;

TEST(Outputs, AreMadeForSubscribersAloneAndShowTheSameScans) {
  ros::NodeHandle nh("uav0");
  std::map<std::string, std::string> diagnostics;
  const ros::Subscriber diagnostics_subscriber = nh.subscribe<diagnostic_msgs::DiagnosticArray>(
      "/diagnostics", 100, [&](const diagnostic_msgs::DiagnosticArrayConstPtr& message) {
        for (const auto& status : message->status) {
          if (status.name.find("lidar") == std::string::npos) continue;
          for (const auto& entry : status.values) diagnostics[entry.key] = entry.value;
        }
      });
  // Seconds after the node came up it has made no scan.
  ASSERT_TRUE(waitFor([&] { return diagnostics.count("scans") == 1; }));
  diagnostics.clear();
  ASSERT_TRUE(waitFor([&] { return diagnostics.count("scans") == 1; }));
  EXPECT_EQ(diagnostics["scans"], "0");

  ByStamp<PointCloud2> clouds, organised, world;
  ByStamp<LivoxCustomMessage> customs;
  ByStamp<geometry_msgs::PoseStamped> poses;
  const auto keep = [](auto& kept) {
    return [&kept](const auto& message) { kept[message->header.stamp] = message; };
  };
  const ros::Subscriber subscribers[] = {
      nh.subscribe<PointCloud2>("points", 100, keep(clouds)),
      nh.subscribe<PointCloud2>("points_organised", 100, keep(organised)),
      nh.subscribe<PointCloud2>("points_world", 100, keep(world)),
      nh.subscribe<LivoxCustomMessage>("livox/lidar", 100, keep(customs)),
      nh.subscribe<geometry_msgs::PoseStamped>("sensor_pose", 100, keep(poses))};
  const auto complete = [&] {
    std::set<ros::Time> stamps;
    for (const auto& [stamp, cloud] : clouds) {
      if (organised.count(stamp) && world.count(stamp) && customs.count(stamp) &&
          poses.count(stamp)) {
        stamps.insert(stamp);
      }
    }
    return stamps;
  };
  ASSERT_TRUE(waitFor([&] { return complete().size() > 5; }));
  for (const ros::Time& stamp : complete()) {
    const std::size_t returns = clouds[stamp]->width;
    EXPECT_GT(returns, 1000U);
    EXPECT_EQ(world[stamp]->width, returns);
    const auto& points = customs[stamp]->points;
    EXPECT_EQ(std::count_if(points.begin(), points.end(), [](const auto& p) { return p.tag != 0; }),
              static_cast<std::ptrdiff_t>(returns));
    const PointCloud2& rows = *organised[stamp];
    EXPECT_EQ(rows.height, 16U);
    std::size_t finite = 0, none = 0;
    for (sensor_msgs::PointCloud2ConstIterator<float> range(rows, "range"); range != range.end();
         ++range) {
      finite += std::isfinite(*range) ? 1 : 0;
      none += std::isinf(*range) ? 1 : 0;
    }
    EXPECT_EQ(finite, returns);
    EXPECT_EQ(finite + none, points.size()) << "misses are in both";
  }
}

}  // namespace
}  // namespace marsim::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "outputs_test");
  return RUN_ALL_TESTS();
}
