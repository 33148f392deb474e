// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {
namespace {

ImageGrid spherical() {
  ImageGrid grid;
  grid.width = 4;
  grid.height = 2;
  grid.elevation_min = radians(-30);
  grid.elevation_max = radians(30);
  return grid;
}

ImageGrid pinhole() {
  ImageGrid grid;
  grid.projection = ImageGrid::Projection::kPinhole;
  grid.width = 640;
  grid.height = 480;
  grid.fx = 380.0;
  grid.fy = 390.0;
  grid.cx = 320.0;
  grid.cy = 240.0;
  return grid;
}

std::string messageOf(const ImageGrid& grid) {
  try {
    grid.validate("camera.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ImageGrid, SphericalRowsFallAndColumnsTurnRight) {
  const ImageGrid grid = spherical();
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 4; ++column) {
      const Eigen::Vector3d direction = grid.direction(row, column);
      EXPECT_NEAR(direction.norm(), 1.0, 1e-12);
      EXPECT_NEAR(degrees(std::asin(direction.z())), row == 0 ? 15.0 : -15.0, 1e-9);
      EXPECT_NEAR(degrees(std::atan2(direction.y(), direction.x())), 135.0 - 90.0 * column, 1e-9);
    }
  }
}

TEST(ImageGrid, PinholePixelCentresAreIntegers) {
  const ImageGrid grid = pinhole();
  EXPECT_TRUE(grid.direction(240, 320).isApprox(Eigen::Vector3d::UnitZ(), 1e-12));
  const Eigen::Vector3d direction = grid.direction(0, 639);
  EXPECT_NEAR(direction.norm(), 1.0, 1e-12);
  EXPECT_NEAR(direction.x() / direction.z() * 380.0 + 320.0, 639.0, 1e-9);
  EXPECT_NEAR(direction.y() / direction.z() * 390.0 + 240.0, 0.0, 1e-9);
  EXPECT_LT(direction.y(), 0.0) << "y points down";
}

TEST(ImageGrid, ValidatesItsFields) {
  EXPECT_EQ(messageOf(spherical()), "no error");
  EXPECT_EQ(messageOf(pinhole()), "no error");
  const auto changed = [](ImageGrid grid, const std::function<void(ImageGrid&)>& change) {
    change(grid);
    return messageOf(grid);
  };
  EXPECT_EQ(changed(spherical(), [](ImageGrid& g) { g.width = 0; }),
            "camera.yaml: width is 0, allowed: 1 to 32768 cells");
  EXPECT_EQ(changed(pinhole(), [](ImageGrid& g) { g.fx = -1.0; }),
            "camera.yaml: fx is -1, allowed: more than 0 px");
  EXPECT_NE(changed(pinhole(), [](ImageGrid& g) { g.cy = std::nan(""); }), "no error");
  EXPECT_NE(changed(spherical(), [](ImageGrid& g) { g.height = 40000; }), "no error");
  EXPECT_NE(changed(spherical(), [](ImageGrid& g) { g.azimuth_max = 4.0; }), "no error");
  EXPECT_NE(changed(spherical(), [](ImageGrid& g) { g.azimuth_max = g.azimuth_min; }), "no error");
  EXPECT_NE(changed(spherical(), [](ImageGrid& g) { g.elevation_max = 1.6; }), "no error");
  EXPECT_NE(changed(spherical(), [](ImageGrid& g) { g.elevation_min = 1.0; }), "no error");
}

}  // namespace
}  // namespace marsim::lidar
