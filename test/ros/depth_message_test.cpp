// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/depth_message.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

namespace marsim::ros_nodes {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

lidar::DepthCameraConfig camera() {
  lidar::DepthCameraConfig config;
  config.name = "camera";
  config.width = 3;
  config.height = 2;
  config.fx = 387.229;
  config.fy = 387.5;
  config.cx = 321.046;
  config.cy = 243.45;
  return config;
}

lidar::DepthImage example() {
  lidar::DepthImage image;
  image.stamp = 2'500'000'000;
  image.depth = {1.0F, 2.0004F, 2.0006F, kInfinity, -kInfinity, 10.0F};
  return image;
}

TEST(DepthMessage, WholeMillimetresAndZeroWhereNothingIs) {
  const sensor_msgs::Image message = depthMessage(example(), camera(), "uav0/depth_optical_frame");
  EXPECT_EQ(message.encoding, "16UC1");
  EXPECT_EQ(message.header.stamp.toNSec(), 2'500'000'000U);
  EXPECT_EQ(message.header.frame_id, "uav0/depth_optical_frame");
  EXPECT_EQ(message.width, 3U);
  EXPECT_EQ(message.height, 2U);
  EXPECT_EQ(message.step, 6U);
  EXPECT_EQ(message.is_bigendian, 0);
  const std::vector<std::uint8_t> expected{0xe8, 0x03, 0xd0, 0x07, 0xd1, 0x07,
                                           0x00, 0x00, 0x00, 0x00, 0x10, 0x27};
  EXPECT_EQ(message.data, expected);
}

TEST(DepthMessage, MetresByRep117) {
  lidar::DepthCameraConfig config = camera();
  config.encoding = lidar::DepthEncoding::kMetres;
  const sensor_msgs::Image message = depthMessage(example(), config, "c");
  EXPECT_EQ(message.encoding, "32FC1");
  EXPECT_EQ(message.step, 12U);
  ASSERT_EQ(message.data.size(), 24U);
  float depth[6];
  std::memcpy(depth, message.data.data(), sizeof(depth));
  EXPECT_EQ(depth[1], 2.0004F);
  EXPECT_EQ(depth[3], kInfinity);
  EXPECT_EQ(depth[4], -kInfinity);
}

TEST(DepthMessage, CameraInfoOfAnIdealCamera) {
  const sensor_msgs::CameraInfo info = cameraInfo(camera(), 2'500'000'000, "c");
  EXPECT_EQ(info.header.stamp.toNSec(), 2'500'000'000U);
  EXPECT_EQ(info.distortion_model, "plumb_bob");
  EXPECT_EQ(info.D, std::vector<double>(5, 0.0));
  const boost::array<double, 9> k{387.229, 0, 321.046, 0, 387.5, 243.45, 0, 0, 1};
  EXPECT_EQ(info.K, k);
  const boost::array<double, 12> p{387.229, 0, 321.046, 0, 0, 387.5, 243.45, 0, 0, 0, 1, 0};
  EXPECT_EQ(info.P, p);
}

}  // namespace
}  // namespace marsim::ros_nodes
