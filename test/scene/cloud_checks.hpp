// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>

#include <Eigen/Geometry>

#include "marsim/common/random.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::scene {

inline bool sameBytes(const map::PointCloud& a, const map::PointCloud& b) {
  return a.size() == b.size() && a.intensity == b.intensity &&
         std::memcmp(a.points.data(), b.points.data(), a.size() * sizeof(Eigen::Vector3f)) == 0;
}

inline Eigen::AlignedBox3f boxOf(const map::PointCloud& cloud) {
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& p : cloud.points) box.extend(p);
  return box;
}

/// Distance [m] to the nearest point, by brute force.
inline double clearanceAt(const map::PointCloud& cloud, const Eigen::Vector3f& place) {
  float least = std::numeric_limits<float>::infinity();
  for (const Eigen::Vector3f& p : cloud.points) least = std::min(least, (p - place).norm());
  return least;
}

/// Mean distance [m] from a point to its nearest neighbour, of 500 points.
inline double meanNeighbourDistance(const map::PointCloud& cloud) {
  const KdTree tree(cloud.points);
  RandomStream random(3);
  double sum = 0.0;
  constexpr int kSamples = 500;
  for (int i = 0; i < kSamples; ++i) {
    const Eigen::Vector3f& p = cloud.points[random.index(cloud.size())];
    const auto near = tree.within(p, 1.0F);
    sum += near.size() > 1 ? near[1].distance : 1.0F;
  }
  return sum / kSamples;
}

}  // namespace marsim::scene
