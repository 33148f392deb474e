// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include <Eigen/Core>

namespace marsim::control {

/// An integral with its increment, axis by axis. If less (or more) is given than wanted, a limit
/// was met, and the integral does not grow further in that direction.
inline Eigen::Vector3d heldIntegral(const Eigen::Vector3d& integral,
                                    const Eigen::Vector3d& increment, const Eigen::Vector3d& asked,
                                    const Eigen::Vector3d& given) {
  Eigen::Vector3d next = integral;
  for (int axis = 0; axis < 3; ++axis) {
    const double cut = asked[axis] - given[axis];
    const bool limited = std::abs(cut) > 1e-9 * (1.0 + std::abs(asked[axis]));
    if (!limited || cut * increment[axis] < 0.0) next[axis] += increment[axis];
  }
  return next;
}

}  // namespace marsim::control
