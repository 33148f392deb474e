// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "marsim/collision/goals.hpp"
#include "test_maps.hpp"

namespace marsim::collision {

/// Every leg free (closed form over the cloud), in the box, at flying height; back at the start.
inline void expectGoodGoals(const map::PointCloud& cloud, const ClearanceMap& map,
                            const Eigen::Vector3d& start, const std::vector<Eigen::Vector3d>& goals,
                            double clearance) {
  Eigen::Vector3d at = start;
  const Eigen::AlignedBox3d box = map.bounds().cast<double>();
  for (const Eigen::Vector3d& goal : goals) {
    EXPECT_TRUE(box.contains(goal)) << goal.transpose();
    EXPECT_LE(std::abs(goal.z() - start.z()), 0.5 + 1e-9);
    EXPECT_GE(segmentClearance(cloud, at, goal), clearance - 1e-3) << goal.transpose();
    EXPECT_GE((goal - at).norm(), 0.5);
    at = goal;
  }
  EXPECT_LT((at - start).norm(), 1.0);
}

inline double longestLeg(const Eigen::Vector3d& start, const std::vector<Eigen::Vector3d>& goals) {
  double longest = 0.0;
  Eigen::Vector3d at = start;
  for (const Eigen::Vector3d& goal : goals) {
    longest = std::max(longest, (goal - at).norm());
    at = goal;
  }
  return longest;
}

}  // namespace marsim::collision
