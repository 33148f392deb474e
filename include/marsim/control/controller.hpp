#pragma once

#include <array>
#include <string>

#include <Eigen/Core>

#include "marsim/control/reference.hpp"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::control {

/// What the controller must know of the vehicle: filled from its own description, never a second
/// copy of its numbers.
struct VehicleModel {
  double mass = 0.0;                                  ///< [kg]
  Eigen::Vector3d inertia = Eigen::Vector3d::Zero();  ///< [kg m^2] principal
  double thrust_coefficient = 0.0;                    ///< k_F [N/(rad/s)^2]
  double torque_coefficient = 0.0;                    ///< k_M [N m/(rad/s)^2]
  double motor_speed_min = 0.0;                       ///< [rad/s]
  double motor_speed_max = 0.0;                       ///< [rad/s]
  struct Rotor {
    Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< [m] in B
    int spin = 1;                                        ///< +1 counter-clockwise from above
  };
  std::array<Rotor, 4> rotors;
};

/// A closed loop's wanted behaviour: that of s^2 + 2 zeta wn s + wn^2.
struct LoopSpec {
  double natural_frequency = 1.0;  ///< [rad/s]
  double damping = 1.0;
};

struct ControllerConfig {
  LoopSpec position{2.5, 0.9};   ///< horizontal and vertical position
  LoopSpec attitude{18.0, 0.9};  ///< roll and pitch
  LoopSpec yaw{4.0, 1.0};
  double position_integral = 0.3;  ///< [1/s] integral rate as a share of the position gain
  double attitude_integral = 0.0;  ///< [1/s]
  double integral_limit = 2.0;     ///< [m/s^2] the position integral's acceleration at most
  double tilt_max = 0.7;           ///< [rad]
  double speed_max = 8.0;          ///< [m/s] of the position loop's velocity command
  double acceleration_max = 8.0;   ///< [m/s^2] horizontal, commanded
  double thrust_min_ratio = 0.1;   ///< of the weight; keeps attitude control in descent
  double thrust_max_ratio = 0.9;   ///< of the maximum; leaves room for attitude control
  GoalLimits goal;

  void validate(const std::string& where) const;
};

/// Collective thrust and torque to rotor speeds, by the inverse of the rotors' geometry. Where a
/// rotor would leave its range yaw torque gives way first, then collective thrust, then roll and
/// pitch.
class Mixer {
 public:
  explicit Mixer(const VehicleModel& vehicle);
  /// thrust [N] along body z, torque [N m] in B -> rotor speeds [rad/s] within the motor's range.
  Eigen::Array4d speeds(double thrust, const Eigen::Vector3d& torque_B) const;
  /// The thrust and torque that speeds make: (thrust, torque x, y, z).
  Eigen::Vector4d wrench(const Eigen::Array4d& speeds) const;

 private:
  Eigen::Matrix4d wrench_of_squares_;  ///< rotor speeds squared -> wrench
  Eigen::Matrix4d squares_of_wrench_;  ///< its inverse
  double square_min_, square_max_;
};

/// Cascaded PID: position -> velocity -> attitude -> body rate -> rotor speeds. Gains follow from
/// the loop specifications and the vehicle's mass and inertia.
class Controller {
 public:
  Controller(const ControllerConfig& config, const VehicleModel& vehicle);

  /// Rotor speeds [rad/s] for a state and a reference; call once a state (the time between calls
  /// comes from the states' stamps).
  Eigen::Array4d update(const KinematicState& state, const Reference& reference);
  /// Clears the integrals, e.g. after a teleport.
  void reset();
  const ControllerConfig& config() const { return config_; }

 private:
  ControllerConfig config_;
  VehicleModel vehicle_;
  Mixer mixer_;
  Eigen::Vector3d position_integral_ = Eigen::Vector3d::Zero();  ///< [m/s^2]
  Eigen::Vector3d attitude_integral_ = Eigen::Vector3d::Zero();  ///< [rad/s^2]
  TimeNs last_stamp_ = -1;
};

}  // namespace marsim::control
