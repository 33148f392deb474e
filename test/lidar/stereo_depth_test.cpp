// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/measure/stereo_depth.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace marsim::lidar {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

DepthCameraConfig pair() {
  DepthCameraConfig config;
  config.width = 120;
  config.height = 4;
  config.fx = config.fy = 100.0;
  config.cx = 60.0;
  config.cy = 2.0;
  config.baseline = 0.1;
  return config;
}

// A plate at 2 m (5 px of disparity) from column 35 to 85 before a wall at 5 m (2 px). The second
// camera has the plate at 30 to 80 and so not the wall's columns 30 + 2 to 34.
TEST(StereoDepth, APlateHidesAStripBesideItFromTheSecondCamera) {
  const DepthCameraConfig config = pair();
  std::vector<float> depth;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 120; ++column) {
      depth.push_back(column >= 35 && column <= 85 ? 2.0F : column == 100 ? kInfinity : 5.0F);
    }
  }
  const std::vector<bool> is_hidden = hiddenFromSecond(config, depth);
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const std::size_t column = i % 120;
    const bool is_outside = column < 2, is_behind = column >= 32 && column < 35;
    ASSERT_EQ(is_hidden[i], is_outside || is_behind) << column;
  }
}

TEST(StereoDepth, ASlantedSurfaceHidesNothing) {
  const DepthCameraConfig config = pair();
  std::vector<float> depth;
  for (int i = 0; i < 480; ++i) {
    // A plane from 1 m to 3 m of depth: 1/z is linear in the column.
    depth.push_back(1.0F / (1.0F - 2.0F / 3.0F * static_cast<float>(i % 120) / 119.0F));
  }
  const std::vector<bool> is_hidden = hiddenFromSecond(config, depth);
  for (std::size_t i = 0; i < depth.size(); ++i) {
    if (i % 120 >= 10) {
      ASSERT_FALSE(is_hidden[i]) << i % 120;
    }
  }
}

TEST(StereoDepth, DisparitiesAreWholeSteps) {
  DepthCameraConfig config = pair();
  config.disparity_step = 0.25;
  config.range_min = 0.5;
  config.range_max = 30.0;
  std::vector<float> depth = {2.0F, 2.04F, 7.0F, 29.0F, 0.501F, -kInfinity, kInfinity};
  quantise(config, depth);
  EXPECT_FLOAT_EQ(depth[0], 2.0F);          // 5 px
  EXPECT_FLOAT_EQ(depth[1], 2.0F);          // 4.9 px
  EXPECT_FLOAT_EQ(depth[2], 10.0F / 1.5F);  // 1.43 px
  EXPECT_EQ(depth[3], kInfinity) << "0.34 px: 0.25 px are 40 m";
  EXPECT_FLOAT_EQ(depth[4], 10.0F / 20.0F);  // 19.96 px
  EXPECT_EQ(depth[5], -kInfinity);
  EXPECT_EQ(depth[6], kInfinity);
}

TEST(StereoDepth, WithoutTextureThereIsNoDepth) {
  DepthCameraConfig config = pair();
  config.least_contrast = 3.0;
  std::vector<std::uint8_t> grey;
  std::vector<float> depth(480, 2.0F);
  depth[0] = -kInfinity;
  for (int i = 0; i < 480; ++i) {
    const int column = i % 120, row = i / 120;
    // Chequered by 8 grey levels to the right: 4 of standard deviation.
    grey.push_back(static_cast<std::uint8_t>(100 + (column >= 60 && (column + row) % 2 ? 8 : 0)));
  }
  dropWithoutTexture(config, grey, depth);
  for (std::size_t i = 1; i < depth.size(); ++i) {
    if (i % 120 < 56) {
      ASSERT_EQ(depth[i], kInfinity);
    }
    if (i % 120 > 64) {
      ASSERT_EQ(depth[i], 2.0F);
    }
  }
  EXPECT_EQ(depth[0], -kInfinity);
}

}  // namespace
}  // namespace marsim::lidar
