#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/time.hpp"

namespace marsim::control {

/// The motion that the controller tracks at one instant, in W.
struct Reference {
  Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Vector3d v_WB = Eigen::Vector3d::Zero();  ///< [m/s]
  Eigen::Vector3d a_WB = Eigen::Vector3d::Zero();  ///< [m/s^2]
  /// [m/s^3] lets the attitude lead its own lag; zero where it is not known.
  Eigen::Vector3d j_WB = Eigen::Vector3d::Zero();
  double yaw = 0.0;       ///< [rad]
  double yaw_rate = 0.0;  ///< [rad/s]
};

/// The names of the fields that a message may leave out.
struct OptionalFields {
  const char* acceleration = "acceleration";
  const char* jerk = "jerk";
  const char* yaw_rate = "yaw_rate";
};

/// Acceleration, jerk or yaw rate that are NaN or infinite count as not given: they become zero.
/// Planners leave such values in what their own controllers never read. Returns their names.
std::vector<std::string> dropUnusable(Reference& reference, const OptionalFields& names = {});

/// Bounds of the path flown to a goal.
struct GoalLimits {
  double speed = 2.0;         ///< [m/s]
  double acceleration = 2.0;  ///< [m/s^2]
  double yaw_rate = 1.0;      ///< [rad/s]

  void validate(const std::string& where) const;
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
