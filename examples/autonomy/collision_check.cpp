// SPDX-License-Identifier: BSD-3-Clause
#include "planner.hpp"

namespace autonomy {
namespace {

constexpr double kSample = 0.05;  // [m] between places that are checked
constexpr double kEscape = 0.2;   // [s]

}  // namespace

std::optional<double> Planner::firstCollision(const Bspline& spline, double begin,
                                              const std::vector<Mover>& movers) const {
  const double step = kSample / config_.limits.speed;
  for (double time = begin; time <= spline.duration(); time += step) {
    const Eigen::Vector3d p = spline.at(time).p;
    bool blocked = map_.isBlocked(p);
    for (const Mover& mover : movers) {
      blocked = blocked || (mover.p + mover.v * time - p).norm() < mover.safeDistance() / 1.2;
    }
    if (blocked && time > begin + kEscape) return time;
  }
  return std::nullopt;
}

}  // namespace autonomy
