// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/compare.hpp"

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map_tools {
namespace {

TEST(Compare, DistancesAreThoseOfAllPairs) {
  map::PointCloud a, b;
  RandomStream random(1);
  const auto point = [&](double size) {
    return Eigen::Vector3d(random.uniform(0, size), random.uniform(0, size),
                           random.uniform(0, size))
        .cast<float>()
        .eval();
  };
  for (int i = 0; i < 500; ++i) a.points.push_back(point(2.0));
  for (int i = 0; i < 300; ++i) b.points.push_back(point(1.0));
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const CloudDistances found = distancesBetween(*from, *to);
    double sum = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < from->size(); ++i) {
      double nearest = 1e9;
      for (const Eigen::Vector3f& q : to->points) {
        nearest = std::min(nearest, (from->points[i] - q).cast<double>().norm());
      }
      EXPECT_NEAR(found.each[i], nearest, 1e-6);
      sum += nearest;
      largest = std::max(largest, nearest);
    }
    EXPECT_NEAR(found.mean, sum / static_cast<double>(from->size()), 1e-6);
    EXPECT_NEAR(found.largest, largest, 1e-6);
    EXPECT_LE(found.median, found.high);
    EXPECT_LE(found.high, found.largest);
  }
}

TEST(Compare, ShiftedPlaneIsAsFarAsItsShift) {
  map::PointCloud a, b;
  for (int x = 0; x < 50; ++x) {
    for (int y = 0; y < 50; ++y) {
      a.points.emplace_back(0.1F * static_cast<float>(x), 0.1F * static_cast<float>(y), 0.0F);
      b.points.emplace_back(a.points.back() + Eigen::Vector3f(0, 0, 0.03F));
    }
  }
  EXPECT_NEAR(distancesBetween(a, b).mean, 0.03, 1e-6);
  EXPECT_NEAR(distancesBetween(a, b).high, 0.03, 1e-6);
  EXPECT_EQ(distancesBetween(a, a).largest, 0.0);
}

TEST(Compare, EmptyCloudIsRefused) {
  map::PointCloud some;
  some.points.emplace_back(0, 0, 0);
  EXPECT_THROW(distancesBetween({}, some), Error);
  EXPECT_THROW(distancesBetween(some, {}), Error);
}

}  // namespace
}  // namespace marsim::map_tools
