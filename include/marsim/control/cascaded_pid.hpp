#pragma once

#include "marsim/control/controller.hpp"
#include "marsim/control/mixer.hpp"
#include "marsim/control/motor_lead.hpp"

namespace marsim::control {

/// Gains of one cascade: outer loop to a rate, rate loop to an acceleration that a faster inner
/// loop (natural frequency wi, damping zi) makes real. Fed back with acceleration and jerk they
/// place the four poles of the whole exactly: at the specification's and at the inner loop's own,
/// so that the step response is the specified one behind a delay of the inner loop's 2 zi/wi.
/// a_cmd = rate_gain (outer_gain e + e') + acceleration_gain (a_ref - a) + jerk_gain (j_ref - j).
struct CascadeGains {
  double outer = 0.0;         ///< [1/s]
  double rate = 0.0;          ///< [1/s]
  double acceleration = 0.0;  ///< [-]
  double jerk = 0.0;          ///< [s]
};
CascadeGains cascadeGains(const LoopSpec& outer, const LoopSpec& inner);

/// Cascaded PID: position -> velocity -> attitude -> body rate -> rotor speeds. Gains follow from
/// the loop specifications and the vehicle's mass, inertia and motors.
///
/// The vehicle's own drag in still air is made up for (Faessler, Franchi, Scaramuzza, RA-L 2018),
/// so that it neither slows the response nor costs tracking accuracy.
///
/// The integrals take up the difference between commanded (and limited) and actual acceleration.
/// Where the vehicle does as told they stay zero, so that they add no overshoot to a step and do
/// not wind up behind a limit.
class CascadedPid : public Controller {
 public:
  /// Throws ConfigError; also where the motors cannot follow the attitude specification (naming the
  /// highest natural frequency that they can) or thrust_max_ratio leaves less than the weight.
  CascadedPid(const ControllerConfig& config, const VehicleModel& vehicle);

  /// The highest natural frequency of roll and pitch [rad/s] that a vehicle can follow: 0.8 times
  /// its motors' (the slower direction), at most 40 rad/s with states at 500 Hz.
  static double maxAttitudeFrequency(const VehicleModel& vehicle);

  RotorArray update(const KinematicState& state, const Reference& reference) override;
  RotorArray trackAttitude(const KinematicState& state, const Eigen::Quaterniond& q_WB_wanted,
                           double yaw_rate, double thrust) override;
  RotorArray trackRates(const KinematicState& state, const Eigen::Vector3d& w_WB_B_wanted,
                        double thrust) override;
  void reset() override;
  void rest() override;
  const ControllerConfig& config() const { return config_; }

 private:
  struct Drag {
    Eigen::Vector3d force_W, torque_B;  ///< [N], [N m]
  };

  void advanceTo(TimeNs stamp);
  Drag dragOf(const KinematicState& state) const;
  Eigen::Vector3d accelerationCommand(const KinematicState& state, const Reference& reference);
  Eigen::Vector3d limitedForce(const Eigen::Vector3d& acceleration) const;
  double collectiveThrust(const Eigen::Vector3d& force_W, const Eigen::Vector3d& z_B) const;
  RotorArray attitudeLoop(const KinematicState& state, const Eigen::Quaterniond& q_WB_wanted,
                          double yaw_rate, double thrust, const Eigen::Vector3d& drag_torque_B);
  RotorArray rateLoop(const KinematicState& state, const Eigen::Vector3d& w_command, double thrust,
                      const Eigen::Vector3d& drag_torque_B);

  ControllerConfig config_;
  VehicleModel vehicle_;
  Mixer mixer_;
  MotorLead motors_;
  CascadeGains horizontal_, vertical_, tilt_, yaw_;
  double tan_tilt_max_ = 0.0, cos_tilt_max_ = 0.0;
  double horizontal_lag_, vertical_lag_;  ///< [s] of acceleration behind its command
  Eigen::Vector3d position_integral_ = Eigen::Vector3d::Zero();  ///< [m/s^2]
  Eigen::Vector3d attitude_integral_ = Eigen::Vector3d::Zero();  ///< [rad/s^2]
  TimeNs last_stamp_ = -1;
  double dt_ = 0.0;  ///< [s] since the last update
};

}  // namespace marsim::control
