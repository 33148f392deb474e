// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/settings.hpp"
#include "marsim/common/time.hpp"
#include "marsim/control/reference.hpp"

namespace marsim::control {

/// Bounds of the path flown to a goal.
struct GoalLimits {
  double speed = 2.0;         ///< [m/s]
  double acceleration = 2.0;  ///< [m/s^2]
  double yaw_rate = 1.0;      ///< [rad/s]

  void declare(Settings& settings);
};

/// A smooth path from any reference to rest at a goal, within limits of speed and acceleration, and
/// beside it the turn to the goal's yaw (the shorter way round), within that of the yaw rate. A
/// short way is a quintic polynomial of time in x, y and z, of the shortest duration (found
/// numerically). A long one speeds up on one polynomial, goes on straight at the limit of speed and
/// brakes on another. Acceleration is continuous. Rest to rest it is a straight line. Where a
/// moving start leaves no such path it is first brought to rest, then flown to the goal. A start
/// that itself moves faster than a limit raises that limit to its own motion until it has slowed
/// down; one that accelerates while at the limit of speed must exceed it a little.
class GoalPath {
 public:
  GoalPath(const Reference& from, TimeNs start, const Eigen::Vector3d& goal_p_WB, double goal_yaw,
           const GoalLimits& limits);
  /// The reference at a time: `from` before the start, at rest at the goal after the end.
  Reference at(TimeNs t) const;
  TimeNs end() const { return end_; }

 private:
  /// Rows x, y, z, yaw; columns powers of the time since the segment's start [s].
  using Coefficients = Eigen::Matrix<double, 4, 6>;
  struct Segment {
    TimeNs start, end;
    Coefficients coefficients;
  };

  Reference from_;
  TimeNs start_, end_;
  std::vector<Segment> way_;   ///< of position
  std::vector<Segment> turn_;  ///< of yaw
};

}  // namespace marsim::control
