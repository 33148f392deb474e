#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/time.hpp"

namespace marsim::control {

/// What the controller tracks at one instant, in W.
struct Reference {
  Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Vector3d v_WB = Eigen::Vector3d::Zero();  ///< [m/s]
  Eigen::Vector3d a_WB = Eigen::Vector3d::Zero();  ///< [m/s^2]
  /// [m/s^3] lets the attitude lead its own lag; zero where it is not known.
  Eigen::Vector3d j_WB = Eigen::Vector3d::Zero();
  double yaw = 0.0;       ///< [rad]
  double yaw_rate = 0.0;  ///< [rad/s]
};

/// Bounds of the path flown to a goal.
struct GoalLimits {
  double speed = 2.0;         ///< [m/s]
  double acceleration = 2.0;  ///< [m/s^2]
  double yaw_rate = 1.0;      ///< [rad/s]

  void validate(const std::string& where) const;
};

/// A smooth path from any reference to rest at a goal: quintic polynomials of time in x, y, z and
/// yaw (the shorter way round), of one duration, the shortest that keeps the norms of velocity and
/// acceleration and the yaw rate within limits (found numerically). Rest to rest it is a straight
/// line. Where a moving start leaves no such path it is first brought to rest, then flown to the
/// goal. A start that itself moves faster than a limit raises that limit to its own motion; one
/// that accelerates while at the limit of speed must exceed it a little.
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
  std::vector<Segment> segments_;
};

}  // namespace marsim::control
