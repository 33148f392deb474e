// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control/loops/motor_lead.hpp"
#include "marsim/common/time.hpp"
#include "marsim/control/controller.hpp"
#include "marsim/control/mixer.hpp"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::control {

/// The force of the air on a vehicle, and its torque.
struct AirDrag {
  Eigen::Vector3d force_W = Eigen::Vector3d::Zero();   ///< [N]
  Eigen::Vector3d torque_B = Eigen::Vector3d::Zero();  ///< [N m]
};

/// Turns the controllers' wanted acceleration into motor speeds: limits of thrust and tilt, mixer,
/// lead of slow motors, and the drag that thrust has to compensate. With `feedback.motor_model` off
/// the rotors are assumed to turn as last commanded.
class Actuation {
 public:
  /// Throws ConfigError where the motors cannot follow the attitude specification (naming the
  /// highest natural frequency that they can) or thrust_max_ratio leaves less than the weight.
  Actuation(const ControllerConfig& config, const VehicleModel& vehicle);

  /// The highest natural frequency of roll and pitch [rad/s] that a vehicle can follow, at most 40
  /// rad/s with states at 500 Hz: 0.8 times that of its motors in their slower direction, or
  /// 1/kPlainRatio times without their model.
  static double maxAttitudeFrequency(const VehicleModel& vehicle, const FeedbackConfig& feedback);
  /// How thrust follows its command.
  const LoopSpec& thrustSpec() const { return thrust_spec_; }

  /// Resets the model of the motors to hover speed.
  void reset();
  /// Advances the model of the motors to a state's stamp. Returns the time since the last state
  /// [s], at most 0.1 s.
  double advanceTo(TimeNs stamp);

  /// Drag in still air at the modelled rotor speeds (Faessler, Franchi, Scaramuzza, RA-L 2018);
  /// none with `drag_model` off.
  AirDrag drag(const KinematicState& state) const;
  /// Drag coefficients along B [N/(m/s)].
  Eigen::Vector3d dragCoefficients() const;
  /// The force [N] in W for an acceleration, within the limits; carrying the weight comes first.
  Eigen::Vector3d limitedForce(const Eigen::Vector3d& acceleration) const;
  /// A collective thrust [N] within the limits.
  double limitedThrust(double thrust) const;

  const Mixer& mixer() const { return mixer_; }
  /// The wrench that the rotors gave at the last advanceTo(), by their model, and its rate of
  /// change.
  const Eigen::Vector4d& wrench() const { return wrench_; }
  const Eigen::Vector4d& wrenchRate() const { return wrench_rate_; }
  /// Commands [rad/s] that lead to the wanted speeds [rad/s].
  RotorArray command(const RotorArray& speeds);

 private:
  VehicleModel vehicle_;
  Mixer mixer_;
  LoopSpec thrust_spec_;
  MotorLead motors_;
  bool motor_model_, drag_model_;
  Eigen::Vector4d wrench_ = Eigen::Vector4d::Zero(), wrench_rate_ = Eigen::Vector4d::Zero();
  double thrust_low_, thrust_high_;  ///< [N]
  double acceleration_max_, tan_tilt_max_;
  TimeNs last_stamp_ = -1;
};

}  // namespace marsim::control
