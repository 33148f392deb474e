// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/depth_camera.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::lidar {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The world is a wall: n . x = offset.
class WallRenderer : public ImageRenderer {
 public:
  WallRenderer(const Eigen::Vector3d& normal, double offset) : normal_(normal), offset_(offset) {}

  std::string name() const override { return "wall"; }
  void renderImage(const ImageGrid& grid, const Pose& X_WC, double range_max, View<MovingObject>,
                   std::vector<Hit>& hits) const override {
    hits.assign(grid.size(), Hit{});
    for (int row = 0; row < grid.height; ++row) {
      for (int column = 0; column < grid.width; ++column) {
        const Eigen::Vector3d d = X_WC.q * grid.direction(row, column);
        const double range = (offset_ - normal_.dot(X_WC.p)) / normal_.dot(d);
        if (range > 0.0 && range <= range_max) {
          hits[static_cast<std::size_t>(row * grid.width + column)] = {static_cast<float>(range),
                                                                       3};
        }
      }
    }
  }

 private:
  Eigen::Vector3d normal_;
  double offset_;
};

DepthCameraConfig camera() {
  DepthCameraConfig config;
  config.name = "camera";
  config.width = 160;
  config.height = 120;
  config.fx = config.fy = 100.0;
  config.cx = 79.5;
  config.cy = 59.5;
  config.range_min = 0.5;
  config.range_max = 20.0;
  config.X_BC = {opticalRotation(), {0.1, 0.0, 0.0}};
  return config;
}

TEST(DepthCamera, OpticalFrameLooksForwardWithXRight) {
  EXPECT_LT((opticalRotation() * Eigen::Vector3d::UnitZ() - Eigen::Vector3d::UnitX()).norm(),
            1e-12);
  EXPECT_LT((opticalRotation() * Eigen::Vector3d::UnitX() + Eigen::Vector3d::UnitY()).norm(),
            1e-12);
}

TEST(DepthCamera, DepthIsAlongTheAxisNotAlongTheRay) {
  DepthCamera camera_facing(camera(),
                            std::make_shared<WallRenderer>(Eigen::Vector3d::UnitX(), 5.1));
  for (const float depth : camera_facing.image(7, {}).depth) ASSERT_NEAR(depth, 5.0F, 1e-5F);

  // Turned by 0.3 rad to the left the wall's depth is 5 / (cos a + u sin a), u = (x - cx) / fx.
  const double a = 0.3;
  DepthCameraConfig config = camera();
  config.X_BC.p.setZero();
  config.range_max = 50.0;
  DepthCamera turned(config, std::make_shared<WallRenderer>(Eigen::Vector3d::UnitX(), 5.0));
  const DepthImage image = turned.image(7, {fromRollPitchYaw(0.0, 0.0, a), {0.0, 0.0, 0.0}});
  EXPECT_EQ(image.stamp, 7);
  for (int row : {0, 60, 119}) {
    for (int column : {0, 40, 159}) {
      const double u = (column - config.cx) / config.fx;
      ASSERT_NEAR(image.depth[static_cast<std::size_t>(row * config.width + column)],
                  5.0 / (std::cos(a) + u * std::sin(a)), 1e-4)
          << row << " " << column;
    }
  }
}

TEST(DepthCamera, LimitsAreDepthsToo) {
  // Rays to the corners are 1.41 times as long as deep: a wall at the largest depth is all seen.
  const auto wall = [](double x) {
    DepthCamera seeing(camera(), std::make_shared<WallRenderer>(Eigen::Vector3d::UnitX(), x + 0.1));
    return seeing.image(0, {}).depth;
  };
  for (const float depth : wall(19.99)) ASSERT_NEAR(depth, 19.99F, 1e-3F);
  for (const float depth : wall(20.01)) ASSERT_EQ(depth, kInfinity);
  for (const float depth : wall(0.49)) ASSERT_EQ(depth, -kInfinity);
}

TEST(DepthCamera, StereoNoiseGrowsWithTheSquareOfDepth) {
  DepthCameraConfig config = camera();
  config.baseline = 0.05;
  config.window = 1;
  config.subpixel_error = 0.1;  // sigma = 0.02 z^2
  for (const double z : {1.0, 2.0, 3.0}) {
    DepthCamera noisy(config, std::make_shared<WallRenderer>(Eigen::Vector3d::UnitX(), z + 0.1));
    const std::vector<float> depth = noisy.image(0, {}).depth;
    double sum = 0.0, squares = 0.0;
    for (const float d : depth) {
      sum += static_cast<double>(d) - z;
      squares += (static_cast<double>(d) - z) * (static_cast<double>(d) - z);
    }
    const auto n = static_cast<double>(depth.size());  // 19,200: sigma within 0.5 %
    EXPECT_NEAR(std::sqrt(squares / n) / (0.02 * z * z), 1.0, 0.03) << z;
    EXPECT_NEAR(sum / n, 0.0, 4.0 * 0.02 * z * z / std::sqrt(n));
    EXPECT_EQ(noisy.image(0, {}).depth, depth) << "the same stamp, the same noise";
    EXPECT_NE(noisy.image(1, {}).depth, depth);
  }
}

// Means over windows 9 pixels wide share 9 - d of 9 columns at a distance of d.
TEST(DepthCamera, ErrorsOfPixelsInAWindowAreCorrelated) {
  DepthCameraConfig config = camera();
  config.width = 640;
  config.height = 480;
  config.baseline = 0.05;
  config.subpixel_error = 0.1;  // sigma = 0.02 z^2
  config.fx = config.fy = 100.0;
  DepthCamera noisy(config, std::make_shared<WallRenderer>(Eigen::Vector3d::UnitX(), 2.1));
  const std::vector<float> depth = noisy.image(0, {}).depth;
  const auto error = [&](int row, int column) {
    const float d = depth[static_cast<std::size_t>(row * config.width + column)];
    return (static_cast<double>(d) - 2.0) / (0.02 * 4.0);
  };
  for (const int distance : {0, 1, 3, 6, 9, 20}) {
    double across = 0.0, down = 0.0, count = 0.0;
    for (int row = 0; row < config.height - distance; ++row) {
      for (int column = 0; column < config.width - distance; ++column) {
        across += error(row, column) * error(row, column + distance);
        down += error(row, column) * error(row + distance, column);
        ++count;
      }
    }
    const double expected = std::max(0.0, 1.0 - distance / 9.0);
    EXPECT_NEAR(across / count, expected, 0.06) << distance;
    EXPECT_NEAR(down / count, expected, 0.06) << distance;
  }
  config.window = 4;
  EXPECT_THROW(config.validate("x.yaml"), ConfigError);
}

// Koschmieder: contrast falls as exp(-a R), to 5 % at the visibility.
TEST(DepthCamera, InFogDepthIsLessCertainAndEndsAtTheVisibility) {
  Weather fog;
  fog.fog.emplace().visibility = 6.0;
  DepthCameraConfig config = camera();
  DepthCamera clear(config, std::make_shared<WallRenderer>(Eigen::Vector3d::UnitX(), 5.1));
  const DepthImage before = clear.image(0, {});
  DepthCamera foggy = clear;
  foggy.setWeather(fog);
  const DepthImage image = foggy.image(0, {});
  std::size_t lost = 0;
  for (int row = 0; row < config.height; ++row) {
    for (int column = 0; column < config.width; ++column) {
      const auto i = static_cast<std::size_t>(row * config.width + column);
      const double u = (column - config.cx) / config.fx, v = (row - config.cy) / config.fy;
      const bool is_seen = 5.0 * std::sqrt(1.0 + u * u + v * v) < 6.0;
      ASSERT_EQ(image.depth[i], is_seen ? before.depth[i] : kInfinity) << row << " " << column;
      lost += is_seen ? 0U : 1U;
    }
  }
  EXPECT_GT(lost, 1'000U);
  EXPECT_LT(lost, 15'000U);

  config.baseline = 0.05;
  config.window = 1;
  config.subpixel_error = 1.0;  // sigma = 0.002 z^2 exp(a R)
  config.fx = config.fy = 1e4;  // all rays along the axis
  DepthCamera noisy(config, std::make_shared<WallRenderer>(Eigen::Vector3d::UnitX(), 3.1));
  noisy.setWeather(fog);
  double squares = 0.0;
  const std::vector<float> depth = noisy.image(0, {}).depth;
  for (const float d : depth) squares += std::pow(static_cast<double>(d) - 3.0, 2);
  const double sigma = 0.002 * 9.0 * std::sqrt(20.0);  // half of the visibility
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(depth.size())) / sigma, 1.0, 0.03);
  foggy.setWeather({});
  EXPECT_EQ(foggy.image(0, {}).depth, before.depth);
}

TEST(DepthCamera, WrongSettingsAreNamed) {
  const auto complaint = [](const DepthCameraConfig& config) -> std::string {
    try {
      config.validate("a.yaml");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint(camera()), "");
  DepthCameraConfig config = camera();
  config.fx = 0.0;
  EXPECT_EQ(complaint(config), "a.yaml: image.fx is 0, allowed: more than 0 px");
  config = camera();
  config.range_max = 80.0;
  EXPECT_EQ(complaint(config),
            "a.yaml: range.max is 80 m, allowed: up to 65.535 m with encoding 16UC1");
  config.encoding = DepthEncoding::kMetres;
  EXPECT_EQ(complaint(config), "");
  config.range_min = 90.0;
  EXPECT_NE(complaint(config).find("range.max is 80 m"), std::string::npos);
}

}  // namespace
}  // namespace marsim::lidar
