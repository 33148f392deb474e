// SPDX-License-Identifier: BSD-3-Clause
// Which gaps of surfaces a PinholeCloser fills, in images given pixel by pixel.

#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "lidar/camera/pinholes.hpp"

namespace marsim::lidar {
namespace {

constexpr double kResolution = 0.05;  // [m]
constexpr int kWidth = 120, kHeight = 100;

/// A flat surface seen by a camera whose frame is W: places p with normal . p = offset.
struct Plane {
  Eigen::Vector3f normal;  ///< towards the camera
  float offset;            ///< [m]
};

/// Returns a normal that faces the camera, turned to the right by an angle [rad].
Eigen::Vector3f turned(double angle) {
  return {static_cast<float>(std::sin(angle)), 0.0F, -static_cast<float>(std::cos(angle))};
}

const Plane kWall{turned(0.1), -3.0F};  // 8 mm a pixel

/// A box of pixels without a surface in an image of one.
struct Opening {
  int width, height;  // [px]
  bool holds(int row, int column) const {
    return row >= 50 && row < 50 + height && column >= 50 && column < 50 + width;
  }
};

/// Share of an opening that is filled. `normalAt`: of the surfel that a row and column hit.
double shareFilled(const Opening& opening, const Plane& plane,
                   const std::function<Eigen::Vector3f(int, int)>& normalAt, float cy = 49.5F) {
  CameraModel model;
  model.width = kWidth;
  model.height = kHeight;
  model.fx = model.fy = 376.0;
  Frame frame;
  frame.X_WC.emplace_back();
  frame.times = {0.0F};
  std::vector<Eigen::Vector3f> directions;
  std::vector<Hit> hits;
  for (int row = 0; row < kHeight; ++row) {
    for (int column = 0; column < kWidth; ++column) {
      const Eigen::Vector3f ray((static_cast<float>(column) - 59.5F) / 376.0F,
                                (static_cast<float>(row) - cy) / 376.0F, 1.0F);
      directions.push_back(ray.normalized());
      hits.emplace_back();
      if (opening.holds(row, column)) continue;
      hits.back().range = plane.offset / plane.normal.dot(directions.back());
      hits.back().surfel = 0;
      hits.back().normal = normalAt(row, column);
    }
  }
  PinholeCloser(frame, directions, model, kResolution).close(hits, nullptr);
  int filled = 0;
  for (int i = 0; i < kWidth * kHeight; ++i) {
    const auto pixel = static_cast<std::size_t>(i);
    if (!opening.holds(i / kWidth, i % kWidth) || !hits[pixel].valid()) continue;
    ++filled;
    const Eigen::Vector3f p = hits[pixel].range * directions[pixel];
    EXPECT_NEAR(plane.normal.dot(p), plane.offset, 0.1 * kResolution);
  }
  return static_cast<double>(filled) / (opening.width * opening.height);
}

TEST(PinholeCloser, FillsHolesOfRoughSurfaces) {
  // Surfels at both sides of the hole lean by 35 degrees: the cosine between them is 0.34.
  const auto rough = [](int, int column) { return turned(column < 52 ? 0.61 : -0.61); };
  EXPECT_EQ(shareFilled({4, 4}, kWall, rough), 1.0);
  EXPECT_EQ(shareFilled({16, 4}, kWall, rough), 0.0) << "ends 14 cm apart";
}

TEST(PinholeCloser, FillsHolesOfGroundSeenAtGrazingIncidence) {
  // The ground 1.5 m below, 20 m off: the rows around a hole of one row are 1.4 m apart. A ray
  // meets surfels there that lean towards it.
  const Plane ground{-Eigen::Vector3f::UnitY(), -1.5F};
  for (const double lean : {0.0, 0.1, 0.2}) {
    const auto leaning = [&](int, int) {
      return Eigen::Vector3f(0.0F, -static_cast<float>(std::cos(lean)),
                             -static_cast<float>(std::sin(lean)));
    };
    EXPECT_EQ(shareFilled({1, 1}, ground, leaning, 22.0F), 1.0) << lean << " rad";
    EXPECT_EQ(shareFilled({2, 1}, ground, leaning, 22.0F), 1.0) << lean << " rad";
  }
}

TEST(PinholeCloser, FillsSlitsAsLongAsThreeSpacingsOfPoints) {
  const auto flat = [](int, int) { return kWall.normal; };
  for (const int pixels : {20, 45, 54}) {
    EXPECT_EQ(shareFilled({pixels, 1}, kWall, flat), 1.0) << 0.008 * pixels << " m";
  }
  EXPECT_EQ(shareFilled({62, 1}, kWall, flat), 0.0) << "0.5 m";
}

TEST(PinholeCloser, LeavesOpeningsLongerThanPinholesOpen) {
  // 1 m high, as between bars or trunks.
  const auto flat = [](int, int) { return kWall.normal; };
  for (const int width : {1, 2, 6, 12, 25}) {
    EXPECT_EQ(shareFilled({width, 40}, {kWall.normal, -9.0F}, flat), 0.0) << width << " px";
  }
}

}  // namespace
}  // namespace marsim::lidar
