// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/pcl.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace marsim {
namespace {

/// A point of a user's own type, with the fields of a spinning LiDAR.
struct OwnPoint {
  float x = 0.0F, y = 0.0F, z = 0.0F;
  std::uint16_t ring = 0;
  float time = 0.0F;

  Eigen::Map<Eigen::Vector3f> getVector3fMap() { return Eigen::Map<Eigen::Vector3f>(&x); }
};

map::PointCloud cloudOfTwo() {
  map::PointCloud cloud;
  cloud.points = {{1.0F, 2.0F, 3.0F}, {-4.0F, 5.0F, 6.5F}};
  cloud.intensity = {7.0F, 250.0F};
  cloud.colour = {{1, 2, 3}, {200, 100, 50}};
  cloud.classes = {40, 255};
  return cloud;
}

TEST(Pcl, APointTypeGetsTheChannelsThatItHas) {
  const map::PointCloud cloud = cloudOfTwo();
  const auto plain = toPcl<pcl::PointXYZ>(cloud);
  const auto bright = toPcl<pcl::PointXYZI>(cloud);
  const auto coloured = toPcl<pcl::PointXYZRGBL>(cloud);
  ASSERT_EQ(plain.size(), 2U);
  EXPECT_EQ(plain.width, 2U);
  EXPECT_EQ(plain.height, 1U);
  EXPECT_EQ(plain[1].y, 5.0F);
  EXPECT_EQ(bright[1].z, 6.5F);
  EXPECT_EQ(bright[0].intensity, 7.0F);
  EXPECT_EQ(coloured[1].r, 200);
  EXPECT_EQ(coloured[1].g, 100);
  EXPECT_EQ(coloured[1].b, 50);
  EXPECT_EQ(coloured[0].label, 40U);
}

TEST(Pcl, AMapComesBackAsItWas) {
  const map::PointCloud cloud = cloudOfTwo();
  const map::PointCloud bright = fromPcl(toPcl<pcl::PointXYZI>(cloud));
  EXPECT_EQ(bright.points, cloud.points);
  EXPECT_EQ(bright.intensity, cloud.intensity);
  EXPECT_FALSE(bright.hasColour() || bright.hasClasses());
  const map::PointCloud coloured = fromPcl(toPcl<pcl::PointXYZRGBL>(cloud));
  EXPECT_EQ(coloured.colour, cloud.colour);
  EXPECT_EQ(coloured.classes, cloud.classes);
  EXPECT_FALSE(coloured.hasIntensity());
}

TEST(Pcl, PointsThatAreNotFiniteAndLargeLabelsAreDropped) {
  pcl::PointCloud<pcl::PointXYZL> cloud;
  for (const float x : {1.0F, std::numeric_limits<float>::quiet_NaN(), 3.0F}) {
    pcl::PointXYZL point;
    point.x = x;
    point.label = x > 2.0F ? 256 : 50;
    cloud.push_back(point);
  }
  const map::PointCloud map = fromPcl(cloud);
  ASSERT_EQ(map.size(), 2U);
  EXPECT_EQ(map.points[1].x(), 3.0F);
  EXPECT_EQ(map.classes, (std::vector<std::uint8_t>{50, 0}));
}

TEST(Pcl, AScanIsInTheSensorsFrame) {
  lidar::Scan scan;
  scan.stamp = 1'500'000'000;
  lidar::ScanPoint point{};
  point.p_S = {1.0F, 2.0F, 3.0F};
  point.p_W = {11.0F, 12.0F, 13.0F};
  point.intensity = 99.0F;
  point.time = 0.25F;
  point.ring = 17;
  point.semantic_class = 70;
  scan.points.push_back(point);
  const auto cloud = toPcl<pcl::PointXYZI>(scan);
  ASSERT_EQ(cloud.size(), 1U);
  EXPECT_EQ(cloud.header.stamp, 1'500'000U);
  EXPECT_EQ(cloud[0].getVector3fMap(), point.p_S);
  EXPECT_EQ(cloud[0].intensity, 99.0F);
  EXPECT_EQ(toPcl<pcl::PointXYZL>(scan)[0].label, 70U);
  const auto own = toPcl<OwnPoint>(scan);
  EXPECT_EQ(own[0].z, 3.0F);
  EXPECT_EQ(own[0].ring, 17);
  EXPECT_EQ(own[0].time, 0.25F);
}

}  // namespace
}  // namespace marsim
