// SPDX-License-Identifier: BSD-3-Clause
#include "costs.hpp"

#include <cmath>

namespace autonomy {
namespace {

using Eigen::Vector3d;

// The gradient by P of a cost whose gradient by the differences of P is `by_differences`.
Points byPoints(const Points& by_differences, double dt) {
  Points gradient = Points::Zero(3, by_differences.cols() + 1);
  gradient.rightCols(by_differences.cols()) += by_differences / dt;
  gradient.leftCols(by_differences.cols()) -= by_differences / dt;
  return gradient;
}

// The squared excess of each column's norm over a limit; the gradient replaces the columns.
double squaredExcess(Points& columns, double limit) {
  double cost = 0.0;
  for (Eigen::Index i = 0; i < columns.cols(); ++i) {
    const double norm = columns.col(i).norm(), excess = std::max(0.0, norm - limit);
    cost += excess * excess;
    columns.col(i) *= excess > 0.0 ? 2.0 * excess / norm : 0.0;
  }
  return cost;
}

}  // namespace

double smoothness(const Bspline& spline, double weight, Points& gradient) {
  const double dt = spline.dt;
  const Points a = differences(differences(spline.points, dt), dt), j = differences(a, dt);
  const Points by_a = 2.0 * a + byPoints(2.0 * j, dt);
  gradient += weight * byPoints(byPoints(by_a, dt), dt);
  return a.squaredNorm() + j.squaredNorm();
}

double feasibility(const Bspline& spline, const Limits& limits, double weight, Points& gradient) {
  const double dt = spline.dt;
  Points v = differences(spline.points, dt), a = differences(v, dt), j = differences(a, dt);
  double cost = squaredExcess(j, limits.jerk);
  cost += squaredExcess(a, limits.acceleration);
  cost += squaredExcess(v, limits.speed);
  gradient += weight * byPoints(v + byPoints(a + byPoints(j, dt), dt), dt);
  return cost;
}

double collision(const Bspline& spline, const std::vector<Plane>& planes, double clearance,
                 double weight, Points& gradient) {
  double cost = 0.0;
  for (const Plane& plane : planes) {
    const double d_c = clearance, c = d_c - plane.distanceTo(spline.points.col(plane.point));
    if (c <= 0.0) continue;
    double slope = 3.0 * c * c;
    if (c <= d_c) {
      cost += c * c * c;
    } else {
      cost += 3.0 * d_c * c * c - 3.0 * d_c * d_c * c + d_c * d_c * d_c;
      slope = 6.0 * d_c * c - 3.0 * d_c * d_c;
    }
    gradient.col(plane.point) -= weight * slope * plane.direction;
  }
  return cost;
}

Vector3d Mover::at(double time) const {
  if (path.size() < 2) return p + v * (since + time);
  const double along = std::max(0.0, (since + time) / step);
  const std::size_t i = std::min(static_cast<std::size_t>(along), path.size() - 2);
  return path[i] + (along - static_cast<double>(i)) * (path[i + 1] - path[i]);
}

double moving(const Bspline& spline, const std::vector<Mover>& movers, double weight,
              Points& gradient) {
  const double dt = spline.dt;
  double cost = 0.0;
  for (Eigen::Index knot = 0; knot + 2 < spline.points.cols(); ++knot) {
    const auto three = spline.points.middleCols<3>(knot);
    const Vector3d shares(1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0);  // of the control points in the place
    const Vector3d place = three * shares;
    for (const Mover& mover : movers) {
      const Vector3d apart = place - mover.at(static_cast<double>(knot) * dt);
      const double d = apart.norm(), lack = mover.safeDistance() - d;
      if (lack <= 0.0 || d == 0.0) continue;
      cost += lack * lack * dt;
      gradient.middleCols<3>(knot) -= weight * 2.0 * lack * dt * (apart / d) * shares.transpose();
    }
  }
  return cost;
}

}  // namespace autonomy
