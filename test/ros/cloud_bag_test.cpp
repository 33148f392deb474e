// SPDX-License-Identifier: BSD-3-Clause
// A bag with a message of every layout: what is read back is what was written, and PCL's
// conversions fill the clients' own point types from it.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>
#include <pcl_conversions/pcl_conversions.h>
#include <rosbag/bag.h>
#include <rosbag/view.h>

#include "client_points.hpp"
#include "layouts/example_scan.hpp"
#include "ros/messages/cloud_message.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::ros_nodes {
namespace {

using layouts::encoderOf;
using layouts::exampleScan;
using lidar::CloudLayout;

/// PCL writes its own point type as the layout xyzi does, but for its undefined padding.
TEST(PclClouds, XyziIsWhatPclWrites) {
  pcl::PointCloud<pcl::PointXYZI> points;
  for (const lidar::ScanPoint& point : exampleScan().points) {
    pcl::PointXYZI added;
    added.getVector3fMap() = point.p_S;
    added.intensity = point.intensity;
    points.push_back(added);
  }
  sensor_msgs::PointCloud2 theirs;
  pcl::toROSMsg(points, theirs);
  const sensor_msgs::PointCloud2 ours =
      toMessage(layouts::cloudOf(encoderOf(CloudLayout::kXyzi), exampleScan()));
  EXPECT_EQ(ours.fields, theirs.fields);
  EXPECT_EQ(ours.point_step, theirs.point_step);
  ASSERT_EQ(ours.data.size(), theirs.data.size());
  for (std::size_t i = 0; i < ours.data.size(); ++i) {
    if (i % 32 < 20) {
      EXPECT_EQ(ours.data[i], theirs.data[i]) << "byte " << i;
    }
  }
}

class CloudBag : public testing::Test {
 protected:
  void SetUp() override {
    const std::string path = (folder_.path() / "layouts.bag").string();
    write(path);
    rosbag::Bag bag(path, rosbag::bagmode::Read);
    for (const rosbag::MessageInstance& message : rosbag::View(bag)) {
      types_[message.getTopic()] = message.getDataType() + " " + message.getMD5Sum();
      if (const auto cloud = message.instantiate<sensor_msgs::PointCloud2>()) {
        clouds_[message.getTopic()] = *cloud;
      } else if (const auto custom = message.instantiate<LivoxCustomMessage>()) {
        customs_[message.getTopic()] = *custom;
      }
    }
  }

  void write(const std::string& path) {
    rosbag::Bag bag(path, rosbag::bagmode::Write);
    const ros::Time now(3.0);
    for (const auto& [name, layout] : lidar::cloudLayouts()) {
      std::visit(
          [&, name = name](const auto& contents) { bag.write(name, now, toMessage(contents)); },
          encoderOf(layout).encode(exampleScan()));
    }
  }

  template <class Point>
  pcl::PointCloud<Point> read(const std::string& name) const {
    pcl::PointCloud<Point> points;
    pcl::fromROSMsg(clouds_.at(name), points);
    return points;
  }

  const std::map<std::string, CloudLayout> layouts_{lidar::cloudLayouts().begin(),
                                                    lidar::cloudLayouts().end()};
  tools::TemporaryFolder folder_;
  std::map<std::string, std::string> types_;
  std::map<std::string, sensor_msgs::PointCloud2> clouds_;
  std::map<std::string, LivoxCustomMessage> customs_;
};

TEST_F(CloudBag, HoldsWhatWasWritten) {
  ASSERT_EQ(clouds_.size() + customs_.size() + 1, lidar::cloudLayouts().size());
  EXPECT_EQ(types_["laser_scan"], "sensor_msgs/LaserScan 90c7ef2dc6895d81024acba2ac42f369");
  for (const auto& [name, cloud] : clouds_) {
    EXPECT_EQ(types_[name], "sensor_msgs/PointCloud2 1158d486dd51d683ce2f1be655c3c181");
    EXPECT_EQ(cloud.data, layouts::cloudOf(encoderOf(layouts_.at(name)), exampleScan()).data)
        << name;
  }
  EXPECT_EQ(types_["livox_custom"], "livox_ros_driver/CustomMsg e4d6829bdfe657cb6c21a746c86b21a6");
  EXPECT_EQ(types_["livox_custom2"],
            "livox_ros_driver2/CustomMsg e4d6829bdfe657cb6c21a746c86b21a6");
  for (const auto& [name, custom] : customs_) {
    ASSERT_EQ(custom.point_num, 5U) << name;
    ASSERT_EQ(custom.points.size(), 5U);
    EXPECT_EQ(custom.timebase, custom.header.stamp.toNSec());
    EXPECT_EQ(custom.points[3].offset_time, 31'250'000U);
    EXPECT_EQ(custom.points[3].x, -1.5F);
    EXPECT_EQ(custom.points[3].line, 3);
  }
}

TEST_F(CloudBag, FillsTheClientsPoints) {
  const auto fast_lio = read<clients::FastLioVelodyne>("velodyne");
  ASSERT_EQ(fast_lio.size(), 3U);
  EXPECT_EQ(fast_lio[1].x, -1.5F);
  EXPECT_EQ(fast_lio[1].z, 0.25F);
  EXPECT_EQ(fast_lio[1].intensity, 255.0F);
  EXPECT_EQ(fast_lio[1].time, 1.0F / 32.0F);
  EXPECT_EQ(fast_lio[2].ring, 1);

  const auto lio_sam = read<clients::LioSamVelodyne>("velodyne");
  EXPECT_TRUE(lio_sam.is_dense);
  EXPECT_EQ(lio_sam[2].x, 8.0F);
  EXPECT_EQ(lio_sam[2].ring, 1);
  EXPECT_EQ(lio_sam[2].time, 1.0F / 16.0F);

  const auto ouster = read<clients::FastLioOuster>("ouster");
  EXPECT_EQ(ouster.width, 3U);
  EXPECT_EQ(ouster.height, 2U);
  EXPECT_EQ(ouster.at(1, 1).x, -1.5F);
  EXPECT_EQ(ouster.at(1, 1).t, 31'250'000U);
  EXPECT_EQ(ouster.at(1, 1).reflectivity, 255);
  EXPECT_EQ(ouster.at(1, 1).range, 1500U);
  EXPECT_EQ(ouster.at(0, 1).range, 0U);

  const auto xyzi = read<pcl::PointXYZI>("xyzi");
  EXPECT_EQ(xyzi[0].y, 2.0F);
  EXPECT_EQ(xyzi[0].intensity, 100.0F);

  for (const char* name : {"hesai", "rslidar"}) {
    const auto points = read<clients::AbsoluteTime>(name);
    EXPECT_EQ(points[points.size() - 2].x, -1.5F) << name;
    EXPECT_EQ(points[points.size() - 2].ring, 0) << name;
    EXPECT_EQ(points[points.size() - 2].timestamp, 2.03125) << name;
  }

  const auto livox = read<clients::Livox2>("livox2");
  EXPECT_EQ(livox[3].timestamp, 2031250000.0);
  EXPECT_EQ(livox[3].tag, 0x10);
  EXPECT_EQ(livox[3].line, 3);

  for (const auto& [name, cloud] : clouds_) {  // every one has a position and an intensity
    const auto points = read<pcl::PointXYZI>(name);
    EXPECT_EQ(std::count_if(points.begin(), points.end(),
                            [](const auto& p) { return p.x == -1.5F && p.intensity == 255.0F; }),
              1)
        << name;
  }
}

}  // namespace
}  // namespace marsim::ros_nodes
