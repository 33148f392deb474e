// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/rotor_array.hpp"

namespace marsim::control {

/// The vehicle as the controller knows it: filled from the vehicle's own description, never a
/// second copy of its numbers.
struct VehicleModel {
  double mass = 0.0;                                  ///< [kg]
  Eigen::Vector3d inertia = Eigen::Vector3d::Zero();  ///< [kg m^2] principal
  double thrust_coefficient = 0.0;                    ///< k_F [N/(rad/s)^2]
  double torque_coefficient = 0.0;                    ///< k_M [N m/(rad/s)^2]
  double motor_speed_min = 0.0;                       ///< [rad/s]
  double motor_speed_max = 0.0;                       ///< [rad/s]
  /// Second-order response of the motors: natural frequency [rad/s] while the command is above and
  /// below the speed, and damping.
  double motor_natural_frequency_up = 0.0;
  double motor_natural_frequency_down = 0.0;
  double motor_damping = 1.0;
  /// [N/(rad/s)/(m/s)] drag of a rotor in its plane, by its speed and the air speed across it.
  double rotor_drag_coefficient = 0.0;
  Eigen::Vector3d linear_drag = Eigen::Vector3d::Zero();  ///< [N/(m/s)] of the craft, along B
  struct Rotor {
    Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< [m] in B
    int spin = 1;                                        ///< +1 counter-clockwise from above
  };
  std::vector<Rotor> rotors;  ///< 3 to kMostRotors
  /// Left and right wheels, in place of rotors.
  struct Wheels {
    double track = 0.0;   ///< [m] from left to right
    double radius = 0.0;  ///< [m]
  };
  std::optional<Wheels> wheels;

  int motorCount() const { return wheels ? 2 : static_cast<int>(rotors.size()); }
};

/// Maps collective thrust and torque to rotor speeds: of all solutions the one with the least sum
/// of squared thrusts (the pseudo-inverse of the rotors' geometry). Where a rotor would leave its
/// range yaw torque gives way first, then collective thrust, then roll and pitch. Rotors
/// that cannot turn the vehicle about its vertical by themselves (three, or all of one spin) give
/// thrust, roll and pitch, and the yaw torque that comes with them.
class Mixer {
 public:
  /// Throws ConfigError where the rotors are too few or too many, or lie so that they cannot give
  /// thrust without tilting.
  explicit Mixer(const VehicleModel& vehicle);
  /// thrust [N] along body z, torque [N m] in B -> rotor speeds [rad/s] within the motor's range.
  RotorArray speeds(double thrust, const Eigen::Vector3d& torque_B) const;
  /// The thrust and torque of given speeds: (thrust, torque x, y, z).
  Eigen::Vector4d wrench(const RotorArray& speeds) const;
  /// Their rates while the speeds change at `accelerations` [rad/s^2].
  Eigen::Vector4d wrenchRate(const RotorArray& speeds, const RotorArray& accelerations) const;

 private:
  Eigen::Vector4d wrenchOfSquares(const RotorArray& squares) const;
  double tiltShare(const RotorArray& tilt_thrust) const;

  double thrust_coefficient_;
  RotorArray roll_, pitch_, yaw_;  ///< [N m s^2] torque per square of a rotor's speed
  /// Squares of the speeds per newton of thrust and per newton metre of torque.
  RotorArray per_thrust_, per_roll_, per_pitch_, per_yaw_;
  RotorArray thrust_per_;    ///< inverse of per_thrust_
  RotorArray least_, most_;  ///< [N] thrust at which a rotor is at its least and most speed
  double square_min_, square_max_;
};

}  // namespace marsim::control
