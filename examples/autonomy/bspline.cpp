// SPDX-License-Identifier: BSD-3-Clause
#include "bspline.hpp"

#include <algorithm>
#include <cmath>

namespace autonomy {

using Eigen::Vector4d;

State Bspline::at(double time) const {
  const double t = std::clamp(time / dt, 0.0, static_cast<double>(points.cols() - 3));
  const auto segment = std::min(static_cast<Eigen::Index>(t), points.cols() - 4);
  const double u = t - static_cast<double>(segment);
  // The basis of eq. 3-35 for the four points of a segment, multiplied out.
  const Vector4d n(std::pow(1 - u, 3), 3 * u * u * u - 6 * u * u + 4,
                   -3 * u * u * u + 3 * u * u + 3 * u + 1, u * u * u);
  const Vector4d dn(-(1 - u) * (1 - u), 3 * u * u - 4 * u, -3 * u * u + 2 * u + 1, u * u);
  const Vector4d ddn(1 - u, 3 * u - 2, 1 - 3 * u, u);
  const Vector4d dddn(-1, 3, -3, 1);
  const auto four = points.middleCols<4>(segment);
  return {four * n / 6.0, four * dn / (2.0 * dt), four * ddn / (dt * dt),
          four * dddn / (dt * dt * dt)};
}

Points differences(const Points& points, double dt) {
  const Eigen::Index count = points.cols() - 1;
  return (points.rightCols(count) - points.leftCols(count)) / dt;
}

// At a knot p = (P0 + 4 P1 + P2) / 6, v = (P2 - P0) / (2 dt), a = (P0 - 2 P1 + P2) / dt^2.
Eigen::Matrix3d controlPointsOf(const State& state, double dt) {
  const Eigen::Vector3d bend = state.a * dt * dt, step = state.v * dt;
  Eigen::Matrix3d points;
  points << state.p + bend / 3.0 - step, state.p - bend / 6.0, state.p + bend / 3.0 + step;
  return points;
}

}  // namespace autonomy
