// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace autonomy {

/// Control points, one a column [m].
using Points = Eigen::Matrix3Xd;

/// Position and its derivatives at an instant.
struct State {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Vector3d v = Eigen::Vector3d::Zero();  ///< [m/s]
  Eigen::Vector3d a = Eigen::Vector3d::Zero();  ///< [m/s^2]
  Eigen::Vector3d j = Eigen::Vector3d::Zero();  ///< [m/s^3]
};

/// A uniform cubic B-spline (Zhong 2023, section 4.3.1, eq. 3-34 and 3-35 for k = 3 and knots dt
/// apart): a segment lies in the convex hull of its four control points.
struct Bspline {
  Points points;    ///< at least four
  double dt = 0.1;  ///< [s] between knots

  /// [s] Times run from 0 to it.
  double duration() const { return dt * static_cast<double>(points.cols() - 3); }
  /// The state at a time [s]; before and after the spline that of its ends.
  State at(double time) const;
};

/// Differences of the control points by time (eq. 3-36): V of P, A of V, J of A. They are control
/// points of the derivative, and bound it.
Points differences(const Points& points, double dt);

/// The three control points that give a spline this state at its first knot (its jerk is ignored),
/// or at its last knot.
Eigen::Matrix3d controlPointsOf(const State& state, double dt);

}  // namespace autonomy
