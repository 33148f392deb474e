// SPDX-License-Identifier: BSD-3-Clause
#include "planner.hpp"

#include <algorithm>

namespace autonomy {
namespace {

constexpr double kSample = 0.05;  // [m] between places that are checked
constexpr double kEscape = 0.2;   // [s]
constexpr double kDeeper = 0.01;  // [m] that a trajectory may lead deeper on its way out

}  // namespace

double Planner::depthAt(const Eigen::Vector3d& p, double time,
                        const std::vector<Mover>& movers) const {
  double depth = map_.isBlocked(p) ? map_.depthAt(p) : 0.0;
  for (const Mover& mover : movers) {
    depth = std::max(depth, mover.safeDistance() / 1.2 - (mover.at(time) - p).norm());
  }
  return depth;
}

std::optional<double> Planner::firstCollision(const Bspline& spline, double begin,
                                              const std::vector<Mover>& movers) const {
  const double step = kSample / config_.limits.speed;
  double allowed = depthAt(spline.at(begin).p, begin, movers);
  for (double time = begin; time <= spline.duration(); time += step) {
    const double depth = depthAt(spline.at(time).p, time, movers);
    if (depth > allowed && time > begin + kEscape) return time;
    allowed = depth > 0.0 ? std::min(allowed, depth + kDeeper) : 0.0;
  }
  return std::nullopt;
}

}  // namespace autonomy
