// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace marsim::control {

/// `v`, shortened to the length `limit` if it is longer.
inline Eigen::Vector3d clampedNorm(const Eigen::Vector3d& v, double limit) {
  const double norm = v.norm();
  return norm > limit ? Eigen::Vector3d(v * (limit / norm)) : v;
}

}  // namespace marsim::control
