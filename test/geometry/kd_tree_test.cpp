// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/geometry/kd_tree.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "marsim/common/random.hpp"

namespace marsim {
namespace {

std::vector<Eigen::Vector3f> randomPoints(int count) {
  RandomStream random(5);
  std::vector<Eigen::Vector3f> points;
  for (int i = 0; i < count; ++i) {
    points.emplace_back(random.uniform(-10, 10), random.uniform(-10, 10), random.uniform(-2, 2));
  }
  return points;
}

TEST(KdTree, EqualsBruteForce) {
  const KdTree tree(randomPoints(5000));
  for (const Eigen::Vector3f& query : randomPoints(50)) {
    const Eigen::Vector3f q = query * 1.1F;
    float best = std::numeric_limits<float>::infinity();
    std::size_t inside = 0;
    for (const Eigen::Vector3f& point : tree.points()) {
      best = std::min(best, (point - q).norm());
      inside += (point - q).norm() <= 1.5F ? 1 : 0;
    }
    EXPECT_FLOAT_EQ(tree.nearest(q).distance, best);
    const auto neighbours = tree.within(q, 1.5F);
    EXPECT_EQ(neighbours.size(), inside);
    EXPECT_TRUE(
        std::is_sorted(neighbours.begin(), neighbours.end(),
                       [](const auto& a, const auto& b) { return a.distance < b.distance; }));
  }
}

TEST(KdTree, EmptyTreeHasNoNeighbours) {
  const KdTree tree({});
  EXPECT_EQ(tree.nearest(Eigen::Vector3f::Zero()).distance, std::numeric_limits<float>::infinity());
  EXPECT_TRUE(tree.within(Eigen::Vector3f::Zero(), 10.0F).empty());
}

}  // namespace
}  // namespace marsim
