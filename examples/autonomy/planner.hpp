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

  /// A trajectory from `start` towards `goal`, or none. The navigator asks for one ten times a
  /// second and when the present one meets an obstacle; `start` is the state on that one then.
  ///
  /// The spline begins with place, velocity and acceleration of `start`. The UAV follows it at once
  /// and nobody checks it: it keeps the limits, and firstCollision() finds nothing on what is flown
  /// before the next plan. Where the goal is farther than the horizon it ends on the way, and may
  /// end in motion, since the UAV brakes along it if no other follows. The last one ends at rest
  /// within 1 mm of the goal. Without a new one the UAV stays on the present one, and brakes before
  /// its end or an obstacle.
  std::optional<Bspline> plan(const State& start, const Eigen::Vector3d& goal,
                              const std::vector<Mover>& movers = {}) const;
  /// The first time [s] from `begin` on at which a spline meets a blocked cell or a mover; none: it
  /// is free. The first 0.2 s are taken as free: no other trajectory leaves it sooner. One that
  /// begins where the UAV may not be is free while it leads out.
  std::optional<double> firstCollision(const Bspline& spline, double begin,
                                       const std::vector<Mover>& movers = {}) const;

  const PlannerConfig& config() const { return config_; }
  const LocalMap& map() const { return map_; }

 private:
  /// [m] How much too near to obstacles a place is; 0: it is free.
  double depthAt(const Eigen::Vector3d& p, double time, const std::vector<Mover>& movers) const;

  PlannerConfig config_;
  const LocalMap& map_;
};

}  // namespace autonomy
