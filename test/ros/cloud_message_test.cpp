#include "marsim/ros/cloud_message.hpp"

#include <cstring>

#include <gtest/gtest.h>

namespace marsim::ros_nodes {
namespace {

lidar::Scan exampleScan() {
  lidar::Scan scan;
  scan.stamp = 2'100'000'000;
  for (int i = 0; i < 3; ++i) {
    const auto x = static_cast<float>(i);
    lidar::ScanPoint point{};
    point.p_S = {1.0F + x, 2.0F, 3.0F};
    point.p_W = {10.0F + x, 20.0F, 30.0F};
    point.intensity = 100.0F + x;
    point.time = 0.01F * x;
    point.ring = static_cast<std::uint16_t>(7 + i);
    scan.points.push_back(point);
  }
  return scan;
}

struct FieldCheck {
  std::string name;
  std::uint32_t offset;
  std::uint8_t datatype;  // sensor_msgs/PointField constants
};

void expectFields(const sensor_msgs::PointCloud2& cloud, const std::vector<FieldCheck>& expected) {
  ASSERT_EQ(cloud.fields.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(cloud.fields[i].name, expected[i].name);
    EXPECT_EQ(cloud.fields[i].offset, expected[i].offset) << expected[i].name;
    EXPECT_EQ(cloud.fields[i].datatype, expected[i].datatype) << expected[i].name;
    EXPECT_EQ(cloud.fields[i].count, 1U);
  }
}

template <class Value>
Value valueAt(const sensor_msgs::PointCloud2& cloud, std::size_t point, std::size_t offset) {
  Value value;
  std::memcpy(&value, &cloud.data[point * cloud.point_step + offset], sizeof(Value));
  return value;
}

// velodyne_pointcloud's PointXYZIRT as it leaves its driver.
TEST(SensorCloud, VelodyneLayout) {
  const auto cloud = sensorCloud(exampleScan(), lidar::CloudLayout::kVelodyne, "uav0/lidar");
  expectFields(cloud, {{"x", 0, 7},
                       {"y", 4, 7},
                       {"z", 8, 7},
                       {"intensity", 12, 7},
                       {"ring", 16, 4},
                       {"time", 18, 7}});
  EXPECT_EQ(cloud.point_step, 22U);
  EXPECT_EQ(cloud.row_step, 66U);
  EXPECT_EQ(cloud.width, 3U);
  EXPECT_EQ(cloud.height, 1U);
  EXPECT_EQ(cloud.is_dense, 1);
  EXPECT_EQ(cloud.is_bigendian, 0);
  EXPECT_EQ(cloud.header.frame_id, "uav0/lidar");
  EXPECT_EQ(cloud.header.stamp.toNSec(), 2'100'000'000U);
  EXPECT_FLOAT_EQ(valueAt<float>(cloud, 2, 0), 3.0F);
  EXPECT_EQ(valueAt<std::uint16_t>(cloud, 2, 16), 9);
  EXPECT_FLOAT_EQ(valueAt<float>(cloud, 2, 18), 0.02F);
}

TEST(SensorCloud, XyzitLayout) {
  const auto cloud = sensorCloud(exampleScan(), lidar::CloudLayout::kXyzit, "uav0/lidar");
  expectFields(cloud,
               {{"x", 0, 7}, {"y", 4, 7}, {"z", 8, 7}, {"intensity", 12, 7}, {"time", 16, 7}});
  EXPECT_EQ(cloud.point_step, 20U);
  EXPECT_FLOAT_EQ(valueAt<float>(cloud, 1, 12), 101.0F);
  EXPECT_FLOAT_EQ(valueAt<float>(cloud, 1, 16), 0.01F);
}

TEST(WorldCloud, HoldsWorldPositions) {
  const auto cloud = worldCloud(exampleScan(), "world");
  EXPECT_EQ(cloud.point_step, 16U);
  EXPECT_EQ(cloud.header.frame_id, "world");
  EXPECT_FLOAT_EQ(valueAt<float>(cloud, 2, 0), 12.0F);
  EXPECT_FLOAT_EQ(valueAt<float>(cloud, 2, 8), 30.0F);
}

}  // namespace
}  // namespace marsim::ros_nodes
