// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/rotor_array.hpp"
#include "marsim/common/settings.hpp"
#include "marsim/common/units.hpp"
#include "marsim/vehicle/imu.hpp"
#include "marsim/vehicle/navigation_sensors.hpp"
#include "marsim/vehicle/simulated_slam.hpp"

namespace marsim::vehicle {

/// The second-order speed response of a motor with its propeller:
/// w'' + 2 zeta wn w' + wn^2 w = wn^2 w_cmd. Where only a first-order time constant tau is known,
/// zeta = 1 and wn = 2/tau has the same delay of tau for slow changes.
struct MotorConfig {
  double natural_frequency_up = 100.0;    ///< [rad/s] wn while the command is above the speed
  double natural_frequency_down = 100.0;  ///< [rad/s] wn while it is below
  double damping = 1.0;                   ///< zeta
  double speed_min = 0.0;                 ///< [rad/s] commands below are raised to it in flight
  double speed_max = 1000.0;              ///< [rad/s] commands above are lowered to it

  /// Fastest pole of the response [rad/s], which an integration step must resolve.
  double fastestPole() const;
  void declare(Settings& settings);
};

/// A rotor: thrust k_F w^2 along body +z, reaction torque k_M w^2 about it.
struct RotorConfig {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< [m] in B, from the centre of mass
  /// +1: turns counter-clockwise seen from above, so the body feels a clockwise torque; -1:
  /// reverse.
  int spin = 1;
  void declare(Settings& settings);
};

/// A point mass fixed to the vehicle, not included in its mass and inertia.
struct PayloadConfig {
  double mass = 0.0;                                   ///< [kg] 0: none
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< [m] in B
  /// Whether the controller knows of it. The dynamics have it either way.
  bool known = false;
  void declare(Settings& settings);
};

/// A battery that runs down: the motors' greatest speed falls evenly with time from speed_max at
/// simulated time 0 to a share of it, which it keeps.
struct BatteryConfig {
  double sag = 1.0;         ///< the share; 1: it never runs down
  double duration = 600.0;  ///< [s]

  /// Share of speed_max at a simulated time [s].
  double shareAt(double seconds) const;
  void declare(Settings& settings);
};

/// Power drawn from the battery: of the rotors, torque times speed over `efficiency`, and of all
/// else.
struct PowerConfig {
  double efficiency = 1.0;  ///< of motors and their controllers
  double avionics = 0.0;    ///< [W] computer, sensors, autopilot
  void declare(Settings& settings);
};

/// Wheels and body of a vehicle that drives on the ground and steers by the speeds of its left and
/// right wheels.
struct DifferentialDriveConfig {
  double track = 0.4;                ///< [m] from left to right wheels
  double wheelbase = 0.3;            ///< [m] from rear to front wheels
  double wheel_radius = 0.1;         ///< [m]
  double speed_max = 1.0;            ///< [m/s] of a wheel's rim
  double acceleration = 2.0;         ///< [m/s^2] of a wheel's rim, also in braking
  double slope_max = radians(30.0);  ///< [rad] steepest ground that it enters
  double step_max = 0.1;             ///< [m] highest step, up or down
  Eigen::Vector3d size = Eigen::Vector3d::Ones() * 0.4;  ///< [m] of the box about B's origin

  void declare(Settings& settings);
};

/// A multirotor with four to eight rotors or, with `differential_drive`, a vehicle on wheels; and
/// the sensors that belong to it.
struct VehicleConfig {
  std::string name;
  std::optional<DifferentialDriveConfig> differential_drive;  ///< in place of rotors and motors
  double mass = 1.0;                                          ///< [kg]
  Eigen::Vector3d inertia = Eigen::Vector3d::Ones() * 0.01;  ///< [kg m^2] principal, about B's axes
  std::vector<RotorConfig> rotors;
  double thrust_coefficient = 1e-5;  ///< k_F [N/(rad/s)^2]
  double torque_coefficient = 1e-7;  ///< k_M [N m/(rad/s)^2]
  MotorConfig motor;
  /// [N/(rad/s)/(m/s)] drag of each rotor, in its plane, proportional to its speed and to the air
  /// speed across it (Furrer et al., RotorS, 2016).
  double rotor_drag_coefficient = 0.0;
  Eigen::Vector3d linear_drag = Eigen::Vector3d::Zero();  ///< [N/(m/s)] of the whole craft, along B
  /// [N/(m/s)^2] c along B's axes: a force of -c |v| v against the velocity v through the air (as
  /// RotorPy's c_Dx, c_Dy, c_Dz; Folk et al., 2023).
  Eigen::Vector3d parasitic_drag = Eigen::Vector3d::Zero();
  double rotor_radius = 0.0;   ///< [m] needed for the ground effect only
  bool ground_effect = false;  ///< of the ground plane (Cheeseman and Bennett, 1955)
  PayloadConfig payload;
  BatteryConfig battery;
  PowerConfig power;
  double radius = 0.3;            ///< [m] of the bounding sphere about the centre of mass
  double ground_clearance = 0.1;  ///< [m] from the centre of mass down to its feet or wheels
  /// Number of states from the one that motor speeds are computed from to the first they act at.
  int control_latency = 1;
  /// .pcd or .ply file of the body's points in B, as other UAVs' sensors and the collision check
  /// see it; empty: a body of hub, arms and propellers.
  std::string body;
  ImuConfig imu;
  std::optional<MagnetometerConfig> magnetometer;
  std::optional<BarometerConfig> barometer;
  std::optional<GnssConfig> gnss;
  std::optional<SlamConfig> estimate;  ///< its controller flies on these poses; none: on the truth

  /// Motors that take commands: a rotor each, or left and right wheels.
  int motorCount() const { return differential_drive ? 2 : static_cast<int>(rotors.size()); }
  /// Mass [kg], centre of mass [m in B] and inertia [kg m^2 about it, B's axes] with the payload.
  double totalMass() const;
  Eigen::Vector3d centreOfMass() const;
  Eigen::Matrix3d totalInertia() const;
  /// The vehicle as its controller models it: a known payload is part of mass and
  /// inertia (the moments about B's axes), and rotors lie about the common centre of mass.
  VehicleConfig asControlled() const;
  /// Rotor speed at which equal rotors carry the weight [rad/s].
  double hoverSpeed() const;
  /// Speed of each rotor [rad/s] at which thrust carries the weight and no torque is left, also
  /// where the rotors lie unevenly about the centre of mass; of more than four rotors the speeds
  /// whose squares have the least norm. NaN where there is no such speed, or the rotors have no
  /// torque about one of the axes.
  RotorArray hoverSpeeds() const;
  /// [W] drawn while the rotors turn at these speeds [rad/s]: the sum of k_M w^3 over the
  /// efficiency, and the avionics'.
  double powerAt(const RotorArray& speeds) const;
  /// Thrust of all rotors at speed_max [N].
  double maxThrust() const;

  void declare(Settings& settings);
  /// Throws ConfigError; also where it cannot hover: thrust below weight, or a rotor that would
  /// have to leave its range to balance the torques.
  void validate(const std::string& where) const;

 private:
  void declareRotors(Settings& settings);
  void declareEstimate(Settings& settings);
  void validateFlight(const std::string& where) const;
};

}  // namespace marsim::vehicle
