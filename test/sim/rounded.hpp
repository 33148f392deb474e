// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace marsim::sim {

/// In single precision. Through memory, so that no compiler can leave the rounding out: GCC 12
/// does where it vectorises.
inline double rounded(double x) {
  volatile float single = static_cast<float>(x);
  return static_cast<double>(single);
}

inline Eigen::Vector3d rounded(const Eigen::Vector3d& v) {
  return {rounded(v.x()), rounded(v.y()), rounded(v.z())};
}

inline Eigen::Vector4d rounded(const Eigen::Vector4d& v) {
  return {rounded(v.x()), rounded(v.y()), rounded(v.z()), rounded(v.w())};
}

}  // namespace marsim::sim
