// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "bspline.hpp"
#include "costs.hpp"
#include "local_map.hpp"

namespace autonomy {

struct PlannerConfig {
  Limits limits;
  int control_points = 25;
  double horizon = 5.3;    ///< [m] of a trajectory; less than the map's half sizes
  double clearance = 0.3;  ///< [m] d_c, from blocked cells
  double w_smooth = 1.0;
  double w_feasible = 200.0;  ///< of the first attempt, and so much more of each later one
  double w_collision = 2e4;
  double w_moving = 1e4;
};

/// Plans a trajectory through the local map towards a goal: a straight line, pushed out of
/// obstacles by planes (Zhong 2023, sections 4.3 and 4.4), with more time where it would break the
/// limits.
class Planner {
 public:
  Planner(const PlannerConfig& config, const LocalMap& map) : config_(config), map_(map) {}

  /// None where no trajectory was found that is free and keeps the limits.
  std::optional<Bspline> plan(const State& start, const Eigen::Vector3d& goal,
                              const std::vector<Mover>& movers = {}) const;
  /// The first time [s] from `begin` on at which a spline meets a blocked cell or a mover; none: it
  /// is free. The first kEscape are taken as free: no other trajectory leaves it sooner.
  std::optional<double> firstCollision(const Bspline& spline, double begin,
                                       const std::vector<Mover>& movers = {}) const;

 private:
  static constexpr double kEscape = 0.2;  ///< [s]

  State targetOf(const State& start, const Eigen::Vector3d& goal, double stretch) const;
  Eigen::Vector3d freeTarget(const Eigen::Vector3d& from, const Eigen::Vector3d& direction) const;
  Bspline straight(const State& start, const State& target, double stretch) const;
  bool addPlanes(const Bspline& spline, std::vector<Plane>& planes, Bspline& seed) const;
  enum class Outcome { kFree, kBlocked, kNoWay };
  Outcome optimise(Bspline& spline, const std::vector<Mover>& movers, double w_feasible) const;
  double excessOf(const Bspline& spline) const;

  PlannerConfig config_;
  const LocalMap& map_;
};

}  // namespace autonomy
