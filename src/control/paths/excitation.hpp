// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/control/reference.hpp"

namespace marsim::control {

/// A motion about one place that excites every axis of an IMU: sines of different frequencies in x,
/// y, z and yaw under one window (sin^2), so that it begins and ends at rest and without
/// acceleration.
class Excitation {
 public:
  /// `room` [m]: largest allowed distance from the place; at most kReach is used.
  Excitation(const Eigen::Vector3d& p_WB, double yaw, double room);
  /// The reference at a time [s] since the beginning; the place itself before and after.
  Reference at(double t) const;

  static constexpr double kDuration = 6.0;  ///< [s]
  static constexpr double kReach = 0.38;    ///< [m] from the place

 private:
  Eigen::Vector3d p_WB_;
  double yaw_, scale_;
};

}  // namespace marsim::control
