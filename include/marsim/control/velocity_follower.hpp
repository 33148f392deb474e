// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/control/reference.hpp"

namespace marsim::control {

/// A velocity to fly at.
struct VelocityCommand {
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< [m/s] in W, or in the heading frame
  double yaw_rate = 0.0;                               ///< [rad/s]
  /// Whether the velocity is in the heading frame: x forward and y left of the reference's yaw, z
  /// up.
  bool in_heading_frame = false;
};

/// Bounds of a reference that moves at commanded velocities.
struct VelocityLimits {
  double speed = 8.0;         ///< [m/s]
  double acceleration = 2.0;  ///< [m/s^2]
  double yaw_rate = 3.0;      ///< [rad/s]
  /// Whether the velocity turns with the heading, as that of a vehicle on wheels: turning then
  /// takes no part of the acceleration.
  bool turns_with_heading = false;
};

/// A filter that leads the reference's velocity to a commanded one that may change at any time, as
/// a critically damped second-order system of natural frequency kFrequency where the change is
/// small, with the limit's acceleration where it is large. Velocity and acceleration of the
/// reference are continuous; the yaw rate follows with a lag of 1 / kYawBandwidth.
class VelocityFollower {
 public:
  /// Begins at a reference; its own motion is carried on and brought under the limits.
  VelocityFollower(const Reference& from, TimeNs start, const VelocityLimits& limits)
      : limits_(limits), stamp_(start), reference_(from) {}

  void setTarget(const VelocityCommand& command) { command_ = command; }
  /// The reference for a time that does not lie before that of the last call.
  const Reference& advance(TimeNs now);
  const Reference& reference() const { return reference_; }
  TimeNs stamp() const { return stamp_; }
  /// Whether the reference moves by less than a micrometre a second.
  bool isAtRest() const;

  static constexpr double kFrequency = 12.0;    ///< [rad/s]
  static constexpr double kYawBandwidth = 6.0;  ///< [rad/s]

 private:
  void step(double dt);

  VelocityLimits limits_;
  TimeNs stamp_;
  Reference reference_;
  VelocityCommand command_;
};

}  // namespace marsim::control
