// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "marsim/collision/clearance.hpp"
#include "marsim/common/random.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::collision {

inline map::PointCloud randomCloud(int count, std::uint64_t seed) {
  RandomStream random(seed);
  map::PointCloud cloud;
  for (int i = 0; i < count; ++i) {
    const double x = random.uniform(-5.0, 5.0);
    const double y = random.uniform(-5.0, 5.0);
    const double z = random.uniform(0.0, 4.0);
    cloud.points.emplace_back(Eigen::Vector3d(x, y, z).cast<float>());
  }
  return cloud;
}

/// Rectangle of points 0.1 m apart: corner + a, b.
inline void addPatch(map::PointCloud& cloud, const Eigen::Vector3d& corner,
                     const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  const int columns = std::max(1, static_cast<int>(a.norm() / 0.1));
  const int rows = std::max(1, static_cast<int>(b.norm() / 0.1));
  for (int i = 0; i <= columns; ++i) {
    for (int j = 0; j <= rows; ++j) {
      const Eigen::Vector3d p =
          corner + a * (static_cast<double>(i) / columns) + b * (static_cast<double>(j) / rows);
      cloud.points.push_back(p.cast<float>());
    }
  }
}

/// Six faces of a closed room.
inline void addRoom(map::PointCloud& cloud, const Eigen::Vector3d& low,
                    const Eigen::Vector3d& high) {
  const Eigen::Vector3d size = high - low;
  for (int axis = 0; axis < 3; ++axis) {
    const Eigen::Vector3d a = size[(axis + 1) % 3] * Eigen::Vector3d::Unit((axis + 1) % 3);
    const Eigen::Vector3d b = size[(axis + 2) % 3] * Eigen::Vector3d::Unit((axis + 2) % 3);
    addPatch(cloud, low, a, b);
    addPatch(cloud, low + size[axis] * Eigen::Vector3d::Unit(axis), a, b);
  }
}

/// Distance [m] by brute force.
inline double bruteClearance(const map::PointCloud& cloud, const Eigen::Vector3d& p) {
  double least = std::numeric_limits<double>::infinity();
  for (const Eigen::Vector3f& q : cloud.points) {
    least = std::min(least, (q.cast<double>() - p).norm());
  }
  return least;
}

/// Least distance [m] of the points to a segment, in closed form.
inline double segmentClearance(const map::PointCloud& cloud, const Eigen::Vector3d& a,
                               const Eigen::Vector3d& b) {
  const Eigen::Vector3d d = b - a;
  double least = std::numeric_limits<double>::infinity();
  for (const Eigen::Vector3f& point : cloud.points) {
    const Eigen::Vector3d p = point.cast<double>();
    const double t =
        d.squaredNorm() > 0.0 ? std::clamp((p - a).dot(d) / d.squaredNorm(), 0.0, 1.0) : 0.0;
    least = std::min(least, (a + t * d - p).norm());
  }
  return least;
}

}  // namespace marsim::collision
