// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "marsim/collision/clearance.hpp"

namespace marsim::tools {

/// Points of a closed room, 10 x 6 x 3 m with a corner at the origin, at 0.1 m; a wall across it at
/// x = 5 leaves a door from y = 4 to `door_end`, as high as the room.
inline std::vector<Eigen::Vector3f> roomPoints(double door_end = 6.0) {
  std::vector<Eigen::Vector3f> points;
  const auto add = [&](int i, int j, int k) {
    points.emplace_back(0.1F * static_cast<float>(i), 0.1F * static_cast<float>(j),
                        0.1F * static_cast<float>(k));
  };
  const int door = static_cast<int>(door_end * 10.0 + 0.5);
  for (int i = 0; i <= 100; ++i) {
    for (int j = 0; j <= 60; ++j) {
      for (int k = 0; k <= 30; ++k) {
        const bool shell = i == 0 || i == 100 || j == 0 || j == 60 || k == 0 || k == 30;
        const bool wall = i == 50 && !(j > 40 && j < door);
        if (shell || wall) add(i, j, k);
      }
    }
  }
  return points;
}

inline collision::ClearanceMap clearanceOf(const std::vector<Eigen::Vector3f>& points) {
  map::PointCloud cloud;
  cloud.points = points;
  return {cloud, 0.1};
}

}  // namespace marsim::tools
