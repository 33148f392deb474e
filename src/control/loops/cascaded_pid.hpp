// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control/loops/actuation.hpp"
#include "control/loops/cascade_gains.hpp"
#include "marsim/control/controller.hpp"

namespace marsim::control {

/// Cascaded PID: position -> velocity -> attitude -> body rate -> rotor speeds. Gains follow from
/// the loop specifications and the vehicle's mass, inertia and motors.
///
/// With `feedback.accelerations` the true accelerations are fed back, and the jerk from the model
/// of the motors: responses are then as specified. The integrals take up the difference between
/// commanded (and limited) and actual acceleration. While the vehicle follows its commands they
/// stay zero, so that they add no overshoot to a step and do not wind up behind a limit.
///
/// Without it the controller is a plain cascade that reads pose, velocity and body rate only. It
/// has integrals in the velocity loop and the rate loop, held while a limit is met.
class CascadedPid : public Controller {
 public:
  /// Throws ConfigError (see Actuation).
  CascadedPid(const ControllerConfig& config, const VehicleModel& vehicle);

  RotorArray update(const KinematicState& state, const Reference& reference) override;
  RotorArray trackAttitude(const KinematicState& state, const Eigen::Quaterniond& q_WB_wanted,
                           double yaw_rate, double thrust) override;
  RotorArray trackRates(const KinematicState& state, const Eigen::Vector3d& w_WB_B_wanted,
                        double thrust) override;
  void reset() override;
  void rest() override;
  const ControllerConfig& config() const { return config_; }

 private:
  Eigen::Vector3d accelerationCommand(const KinematicState& state, const Reference& reference);
  void integratePosition(const KinematicState& state, const Eigen::Vector3d& wanted,
                         const Eigen::Vector3d& given);
  double collectiveThrust(const Eigen::Vector3d& force_W, const Eigen::Vector3d& z_B) const;
  RotorArray attitudeLoop(const KinematicState& state, const Eigen::Quaterniond& q_WB_wanted,
                          double yaw_rate, double thrust, const Eigen::Vector3d& drag_torque_B);
  RotorArray rateLoop(const KinematicState& state, const Eigen::Vector3d& w_command, double thrust,
                      const Eigen::Vector3d& drag_torque_B);
  void integrateAttitude(const KinematicState& state, const Eigen::Vector3d& asked,
                         const Eigen::Vector3d& given);

  ControllerConfig config_;
  VehicleModel vehicle_;
  Actuation actuation_;
  CascadeGains horizontal_, vertical_, tilt_, yaw_;
  double cos_tilt_max_ = 0.0;
  double horizontal_lag_, vertical_lag_;  ///< [s] of acceleration behind its command
  Eigen::Vector3d position_integral_ = Eigen::Vector3d::Zero();  ///< [m/s^2]
  Eigen::Vector3d attitude_integral_ = Eigen::Vector3d::Zero();  ///< [rad/s^2]
  Eigen::Vector3d velocity_feedback_ = Eigen::Vector3d::Zero();  ///< [m/s^2] of the velocity loop
  Eigen::Vector3d rate_feedback_ = Eigen::Vector3d::Zero();      ///< [rad/s^2] of the rate loop
  double dt_ = 0.0;                                              ///< [s] since the last update
};

}  // namespace marsim::control
