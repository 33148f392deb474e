// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Core>

namespace autonomy {

// A post at (2.5, 0) seen by the UAV at the origin.
inline std::vector<Eigen::Vector3d> post() {
  std::vector<Eigen::Vector3d> points;
  for (double z = -2.0; z < 4.0; z += 0.05) {
    for (double angle = 0.0; angle < 6.28; angle += 0.3) {
      points.emplace_back(2.5 + 0.2 * std::cos(angle), 0.2 * std::sin(angle), z);
    }
  }
  return points;
}

}  // namespace autonomy
