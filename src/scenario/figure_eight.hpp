// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/common/time.hpp"
#include "marsim/geometry/kinematic_state.hpp"
#include "scenario/scenario.hpp"

namespace marsim::scenario {

/// A smooth motion along a figure-eight, from rest in its middle to rest there. The curve's
/// parameter s has a rate that rises and falls by smoothstep, so that its acceleration is
/// continuous, and is constant in between; the eight's speed is reached at each crossing of the
/// middle. While s-dot rises or falls, the acceleration along the curve is at most 2 m/s^2, or the
/// one that reaches the speed half a lap from the start if that is more.
class FigureEightPath {
 public:
  /// `body_yaw` [rad] is kept all the way.
  FigureEightPath(const FigureEight& eight, double body_yaw);

  /// From rest to rest.
  TimeNs duration() const { return duration_; }
  /// Pose, velocity and acceleration `t` after the start; at rest before and after the motion.
  KinematicState at(TimeNs t) const;
  /// Upper bound of the acceleration [m/s^2].
  double largestAcceleration() const;

 private:
  /// s and its derivatives [1/s, 1/s^2].
  struct Phase {
    double s, rate, change;
  };
  Phase phaseAt(double t) const;

  FigureEight eight_;
  Eigen::Quaterniond q_WB_;
  Eigen::Matrix3d R_WE_;  // axes of the eight
  double fastest_;        // [m] largest |dp/ds|
  double rate_;           // [1/s] largest rate of s
  double ramp_;           // [s] for which it rises
  double cruise_;         // [s] for which it is constant
  TimeNs duration_;
};

}  // namespace marsim::scenario
