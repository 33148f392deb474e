// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include "bspline.hpp"

namespace autonomy {

// Costs of a spline. Each returns its cost and adds `weight` times its gradient by the control
// points to `gradient`.

/// E_S, the sum of |A_i|^2 and |J_i|^2 (Zhong 2023, section 4.4.1, eq. 3-41).
double smoothness(const Bspline& spline, double weight, Points& gradient);

struct Limits {
  double speed = 5.0;         ///< [m/s]
  double acceleration = 3.0;  ///< [m/s^2]
  double jerk = 30.0;         ///< [m/s^3]
};

/// E_F, the sum over V, A and J of the squared excess of their norms over the limits. The thesis
/// (eq. 3-43) bounds the same quantities; its function eq. 3-42 is one that rises beyond the limit.
double feasibility(const Bspline& spline, const Limits& limits, double weight, Points& gradient);

/// The plane method (section 4.3.2): an obstacle near a control point is a half space.
struct Plane {
  Eigen::Index point;         ///< number of the control point
  Eigen::Vector3d p;          ///< [m] on the obstacle's surface
  Eigen::Vector3d direction;  ///< unit vector out of the obstacle
  /// [m] Distance of a place to the obstacle, negative inside (eq. 3-38).
  double distanceTo(const Eigen::Vector3d& place) const { return (place - p).dot(direction); }
};

/// E_C of the control points' planes for a clearance d_c [m] (eq. 3-39 and 3-40).
double collision(const Bspline& spline, const std::vector<Plane>& planes, double clearance,
                 double weight, Points& gradient);

/// A moving obstacle that keeps its velocity (section 4.4.2, eq. 3-47), or announces its path.
struct Mover {
  Eigen::Vector3d p;                       ///< [m] centre when it was told
  Eigen::Vector3d v;                       ///< [m/s]
  double width = 0.5;                      ///< [m]
  std::vector<Eigen::Vector3d> path = {};  ///< [m] from p on, in place of v; straight on after it
  double step = 0.1;                       ///< [s] between places of the path
  double since = 0.0;                      ///< [s] from when it was told to the spline's begin
  /// [m] Its place at a time of the spline [s].
  Eigen::Vector3d at(double time) const;
  /// [m] Safe distance from the centre, C.
  double safeDistance() const { return 1.2 * width; }
};

/// E_dynamic, the integral of (d - C)^2 where the distance d to a mover is less than C (eq. 3-49),
/// as the sum over the knots times dt.
double moving(const Bspline& spline, const std::vector<Mover>& movers, double weight,
              Points& gradient);

}  // namespace autonomy
