// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/paint.hpp"

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map_tools {
namespace {

std::vector<map::Colour> painted(const map::PointCloud& cloud, const std::string& name) {
  return coloursOf(cloud, paintOf(name));
}

TEST(Paint, ShowsWhatPointsCarry) {
  map::PointCloud cloud;
  cloud.points.resize(3, Eigen::Vector3f::Zero());
  EXPECT_TRUE(painted(cloud, "auto").empty()) << "by height";
  for (const char* name : {"rgb", "intensity", "class"}) EXPECT_THROW(painted(cloud, name), Error);
  EXPECT_THROW(paintOf("rbg"), UnknownNameError);
  cloud.colour = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  EXPECT_EQ(painted(cloud, "auto"), cloud.colour);
  EXPECT_EQ(painted(cloud, "rgb"), cloud.colour);
  EXPECT_TRUE(painted(cloud, "height").empty());
  cloud.intensity = {0.0F, 50.0F, 100.0F};
  const auto shades = painted(cloud, "intensity");
  EXPECT_LT(shades[0][0], shades[1][0]);
  EXPECT_EQ(shades[2][0], 255);
  cloud.classes = {70, 70, 10};
  const auto classes = painted(cloud, "class");
  EXPECT_EQ(classes[0], classes[1]);
  EXPECT_EQ(classes[2], (map::Colour{100, 150, 245})) << "a car";
}

TEST(Paint, NormalsColourPlanesByTheirAxis) {
  RandomStream random(3);
  map::PointCloud cloud;
  for (int i = 0; i < 3000; ++i) {
    const auto u = static_cast<float>(random.uniform(0.0, 4.0));
    const auto v = static_cast<float>(random.uniform(0.5, 4.0));
    cloud.points.emplace_back(i % 2 == 0 ? Eigen::Vector3f(u, v, 0.0F)
                                         : Eigen::Vector3f(0.0F, u, 2.0F + v));
  }
  const auto colours = painted(cloud, "normal");
  ASSERT_EQ(colours.size(), cloud.size());
  int right = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    right += colours[i][i % 2 == 0 ? 2 : 0] > 200 ? 1 : 0;
  }
  EXPECT_GT(right, 2900);
}

}  // namespace
}  // namespace marsim::map_tools
