// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/control/goal_path.hpp"
#include "marsim/control/reference.hpp"

namespace marsim::control {

/// A filter that draws the reference smoothly to a position and a yaw that may change at any time,
/// as those of a stream of set points do: a target near by is reached as by a critically damped
/// third-order system of natural frequency kFrequency, one far off at the speed, acceleration and
/// yaw rate of the limits. Velocity and acceleration of the reference are continuous.
class PoseFollower {
 public:
  /// The state that all references to come follow from, with the limits.
  struct State {
    TimeNs stamp = 0;
    Reference reference;            ///< at that time
    double yaw_acceleration = 0.0;  ///< [rad/s^2]
    Eigen::Vector3d target_p_WB = Eigen::Vector3d::Zero();
    double target_yaw = 0.0;
  };

  /// Begins at a reference; its own motion is carried on and brought under the limits.
  PoseFollower(const Reference& from, TimeNs start, const GoalLimits& limits);
  /// Continues from the state of another follower.
  PoseFollower(const State& state, const GoalLimits& limits) : limits_(limits), state_(state) {}

  void setTarget(const Eigen::Vector3d& p_WB, double yaw);
  /// The reference for a time that does not lie before that of the last call.
  const Reference& advance(TimeNs now);
  const State& state() const { return state_; }
  /// Whether the reference rests at the target, to a micrometre.
  bool hasArrived() const;

  /// [rad/s] above the position loop of every vehicle, so that it adds little delay to it.
  static constexpr double kFrequency = 6.0;

 private:
  void step(double dt);

  GoalLimits limits_;
  State state_;
};

}  // namespace marsim::control
