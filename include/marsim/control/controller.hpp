#pragma once

#include <string>

#include <Eigen/Geometry>

#include "marsim/control/goal_path.hpp"
#include "marsim/control/mixer.hpp"
#include "marsim/control/motor_lead.hpp"
#include "marsim/control/reference.hpp"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::control {

/// A closed loop's wanted behaviour: that of s^2 + 2 zeta wn s + wn^2.
struct LoopSpec {
  double natural_frequency = 1.0;  ///< [rad/s]
  double damping = 1.0;
};

/// Limits beyond which the controller follows a reference with a warning.
struct WarningLimits {
  double reference_distance = 2.0;  ///< [m] from the vehicle to a reference that was commanded
  double tracking_error = 1.0;      ///< [m]
};

/// The behaviour asked of a controller, as in a file of config/control.
struct ControllerConfig {
  LoopSpec position{2.5, 0.9};  ///< horizontal and vertical position
  /// Roll and pitch; at least four times as fast as the position. What the motors can follow is
  /// checked when the controller is made.
  LoopSpec attitude{18.0, 0.9};
  LoopSpec yaw{4.0, 1.0};  ///< at most as fast as roll and pitch
  /// [1/s] rate at which the integral takes up what is missing of the commanded acceleration.
  double position_integral = 0.3;
  double attitude_integral = 0.0;  ///< [1/s] the same for the commanded angular acceleration
  double integral_limit = 2.0;     ///< [m/s^2] the position integral's acceleration at most
  double tilt_max = 0.7;           ///< [rad]
  double speed_max = 8.0;          ///< [m/s] of the position loop's velocity command
  double acceleration_max = 8.0;   ///< [m/s^2] horizontal, commanded
  double yaw_rate_max = 3.0;       ///< [rad/s] of the yaw loop's rate command
  double thrust_min_ratio = 0.1;   ///< of the weight; keeps attitude control in descent
  double thrust_max_ratio = 0.9;   ///< of the maximum; leaves room for attitude control
  GoalLimits goal;
  WarningLimits warn;

  void validate(const std::string& where) const;
};

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
class Controller {
 public:
  /// Throws ConfigError; also where the motors cannot follow the attitude specification (naming the
  /// highest natural frequency that they can) or thrust_max_ratio leaves less than the weight.
  Controller(const ControllerConfig& config, const VehicleModel& vehicle);

  /// The highest natural frequency of roll and pitch [rad/s] that a vehicle can follow: 0.8 times
  /// its motors' (the slower direction), at most 40 rad/s with states at 500 Hz.
  static double maxAttitudeFrequency(const VehicleModel& vehicle);

  /// Rotor speeds [rad/s] for a state and a reference; call once a state (the time between calls
  /// comes from the states' stamps).
  Eigen::Array4d update(const KinematicState& state, const Reference& reference);
  /// The inner loops alone: rotor speeds [rad/s] for an attitude, a yaw rate [rad/s] about the
  /// vertical and a collective thrust [N] along body z. Call either update() or this once a state.
  Eigen::Array4d trackAttitude(const KinematicState& state, const Eigen::Quaterniond& q_WB_wanted,
                               double yaw_rate, double thrust);
  /// Clears the integrals and takes the motors to run at hover speed, e.g. after a teleport.
  void reset();
  /// Clears the integrals: the vehicle stands, and what holds it there is no disturbance to be
  /// made up for. To be called before the update for such a state.
  void rest();
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
  Eigen::Array4d attitudeLoop(const KinematicState& state, const Eigen::Quaterniond& q_WB_wanted,
                              double yaw_rate, double thrust, const Eigen::Vector3d& drag_torque_B);

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
