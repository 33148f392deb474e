// SPDX-License-Identifier: BSD-3-Clause
#include "scenario/figure_eight.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/units.hpp"

namespace marsim::scenario {
namespace {

constexpr TimeNs kMs = kNsPerSecond / 1000;

std::vector<FigureEight> eights() {
  return {{},
          {{1.0, -2.0, 3.0}, 6.0, 3.0, 0.7, 4.0, 3},
          {{0.0, 0.0, 2.0}, 4.0, 4.0, -2.0, 7.0, 1},  // the ramps fill it
          {{0.0, 0.0, 2.0}, 30.0, 1.0, 0.0, 1.0, 1}};
}

TEST(FigureEightPath, VelocityAndAccelerationAreDerivatives) {
  for (const FigureEight& eight : eights()) {
    const FigureEightPath path(eight, 0.4);
    for (TimeNs t = -10 * kMs; t < path.duration() + 10 * kMs; t += 7 * kMs) {
      const KinematicState before = path.at(t - kMs), now = path.at(t), after = path.at(t + kMs);
      const Eigen::Vector3d v = (after.X_WB.p - before.X_WB.p) / 2e-3;
      const Eigen::Vector3d a = (after.v_WB - before.v_WB) / 2e-3;
      EXPECT_NEAR((v - now.v_WB).norm(), 0.0, 1e-4 * eight.speed) << toSeconds(t);
      EXPECT_NEAR((a - now.a_WB).norm(), 0.0, 2e-2 * eight.speed) << toSeconds(t);
      EXPECT_NEAR(yawOf(now.X_WB.q), 0.4, 1e-12);
    }
  }
}

TEST(FigureEightPath, ReachesItsSpeedAndNoMore) {
  for (const FigureEight& eight : eights()) {
    const FigureEightPath path(eight, 0.0);
    double fastest = 0.0, hardest = 0.0;
    for (TimeNs t = 0; t < path.duration(); t += kMs) {
      fastest = std::max(fastest, path.at(t).v_WB.norm());
      hardest = std::max(hardest, path.at(t).a_WB.norm());
    }
    EXPECT_NEAR(fastest, eight.speed, 0.01 * eight.speed);
    EXPECT_LE(hardest, path.largestAcceleration());
    EXPECT_GE(hardest, 0.3 * path.largestAcceleration());
  }
}

// Where the axis of the eight is x, (y / height)^2 = u^2 (1 - u^2) with u = 2 x / width.
TEST(FigureEightPath, LiesOnTheCurveFromRestToRest) {
  for (const FigureEight& eight : eights()) {
    const FigureEightPath path(eight, 0.0);
    const Eigen::Quaterniond q_EW = fromRollPitchYaw(0.0, 0.0, -eight.yaw);
    int turns = 0;  // from one half of the eight to the other
    double last_x = 0.0, widest = 0.0, highest = 0.0;
    for (TimeNs t = 0; t <= path.duration(); t += kMs) {
      const Eigen::Vector3d p = q_EW * (path.at(t).X_WB.p - eight.middle);
      const double u = 2.0 * p.x() / eight.width, y = p.y() / eight.height;
      EXPECT_NEAR(y * y, u * u * (1.0 - u * u), 1e-9);
      EXPECT_NEAR(p.z(), 0.0, 1e-12);
      const double x = std::abs(p.x()) < 1e-6 ? last_x : p.x();
      if (x * last_x < 0.0) ++turns;
      last_x = x;
      widest = std::max(widest, std::abs(u));
      highest = std::max(highest, std::abs(y));
    }
    EXPECT_EQ(turns, 2 * eight.laps - 1);
    EXPECT_NEAR(widest, 1.0, 1e-3);
    EXPECT_NEAR(highest, 0.5, 1e-3);
    for (const TimeNs t : {-kNsPerSecond, TimeNs{0}, path.duration(), path.duration() + kMs}) {
      const KinematicState state = path.at(t);
      EXPECT_NEAR((state.X_WB.p - eight.middle).norm(), 0.0, 1e-6);
      EXPECT_NEAR(state.v_WB.norm(), 0.0, 1e-6);
      EXPECT_NEAR(state.a_WB.norm(), 0.0, 1e-6);
    }
  }
}

// The speed rises by smoothstep within 1.5 s, which are flown at half of it in the mean.
TEST(FigureEightPath, SpeedsUpGently) {
  FigureEight eight;
  eight.width = 100.0;
  eight.height = 50.0;
  eight.speed = 2.0;
  const FigureEightPath path(eight, 0.0);
  double hardest = 0.0;
  for (TimeNs t = 0; t < 2 * kNsPerSecond; t += kMs) {
    hardest = std::max(hardest, path.at(t).a_WB.norm());
  }
  EXPECT_NEAR(hardest, 2.0, 0.01);
  EXPECT_NEAR(path.at(1500 * kMs).v_WB.norm(), 2.0, 2e-3);
  EXPECT_NEAR(path.at(1500 * kMs).X_WB.p.norm(), 1.5, 1e-3);
}

}  // namespace
}  // namespace marsim::scenario
