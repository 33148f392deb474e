#pragma once

#include "marsim/control/reference.hpp"

namespace marsim::control {

/// Draws the reference smoothly to a position and a yaw that may change at any time, as those of a
/// stream of set points do: a target near by is reached as by a critically damped third-order
/// system of natural frequency kFrequency, one far off at the speed, acceleration and yaw rate of
/// the limits. Velocity and acceleration of the reference are continuous.
class PoseFollower {
 public:
  /// Begins at a reference; its own motion is carried on and brought under the limits.
  PoseFollower(const Reference& from, TimeNs start, const GoalLimits& limits);

  void setTarget(const Eigen::Vector3d& p_WB, double yaw);
  /// The reference for a time that does not lie before that of the last call.
  const Reference& advance(TimeNs now);

  /// [rad/s] above the position loop of every vehicle, so that it adds little delay to it.
  static constexpr double kFrequency = 6.0;

 private:
  void step(double dt);

  GoalLimits limits_;
  Reference reference_;
  Eigen::Vector3d target_p_WB_;
  double target_yaw_;
  double yaw_acceleration_ = 0.0;  ///< [rad/s^2]
  TimeNs now_;
};

}  // namespace marsim::control
