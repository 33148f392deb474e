// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/suite_maps.hpp"

#include <set>

#include <gtest/gtest.h>

namespace marsim::tools {
namespace {

suite::RunResult runAlong(const Eigen::Vector3f& from, const Eigen::Vector3f& to) {
  suite::RunResult run;
  run.map = "m";
  run.uavs.push_back({"uav0", {0.0, 1.0}, {from, to}, {}, {}, {}});
  return run;
}

TEST(SuiteMaps, ShowsTheHeightsAtWhichWasFlown) {
  const MapBox box =
      flownBox({runAlong({0, 0, 1}, {40, 0, 2}), runAlong({0, 4, 1}, {0, 4, 3})}, "m");
  EXPECT_FLOAT_EQ(box.min().z(), 0.5F);
  EXPECT_FLOAT_EQ(box.max().z(), 3.5F);
  EXPECT_LT(box.min().x(), -8.0F);
  EXPECT_GT(box.max().y(), 12.0F);
  EXPECT_TRUE(flownBox({runAlong({0, 0, 1}, {1, 0, 1})}, "other").isEmpty());
}

TEST(SuiteMaps, SquaresHoldTheirPointsAndAreFewEnough) {
  map::PointCloud cloud;
  for (int i = 0; i < 200; ++i) {
    for (int k = 0; k < 200; ++k) cloud.points.emplace_back(0.05F * i - 3.0F, 0.05F * k, 1.0F);
  }
  cloud.points.emplace_back(0.0F, 0.0F, 9.0F);    // too high
  cloud.points.emplace_back(99.0F, 99.0F, 1.0F);  // too far
  const MapBox box(Eigen::Vector3f(-20, -20, 0), Eigen::Vector3f(20, 20, 2));
  const suite::MapPlan plan = planOfCloud(cloud, box, 4000);
  EXPECT_GT(plan.squares.size(), 1000U);
  EXPECT_LE(plan.squares.size(), 4000U);
  const float half = 0.5F * static_cast<float>(plan.side) + 1e-4F;
  for (const Eigen::Vector3f& p : cloud.points) {
    if (!box.contains(p)) continue;
    const bool held =
        std::any_of(plan.squares.begin(), plan.squares.end(), [&](const Eigen::Vector2f& middle) {
          return (p.head<2>() - middle).cwiseAbs().maxCoeff() <= half;
        });
    ASSERT_TRUE(held) << p.transpose();
  }
}

}  // namespace
}  // namespace marsim::tools
