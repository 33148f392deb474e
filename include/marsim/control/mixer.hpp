#pragma once

#include <array>

#include <Eigen/Core>

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
  std::array<Rotor, 4> rotors;
};

/// The map from collective thrust and torque to rotor speeds, by the inverse of the rotors'
/// geometry. Where a rotor would leave its range yaw torque gives way first, then collective
/// thrust, then roll and pitch.
class Mixer {
 public:
  explicit Mixer(const VehicleModel& vehicle);
  /// thrust [N] along body z, torque [N m] in B -> rotor speeds [rad/s] within the motor's range.
  Eigen::Array4d speeds(double thrust, const Eigen::Vector3d& torque_B) const;
  /// The thrust and torque that speeds make: (thrust, torque x, y, z).
  Eigen::Vector4d wrench(const Eigen::Array4d& speeds) const;
  /// Their rate of change while the speeds change at `accelerations` [rad/s^2].
  Eigen::Vector4d wrenchRate(const Eigen::Array4d& speeds,
                             const Eigen::Array4d& accelerations) const;

 private:
  Eigen::Matrix4d wrench_of_squares_;  ///< rotor speeds squared -> wrench
  Eigen::Matrix4d squares_of_wrench_;  ///< its inverse
  double square_min_, square_max_;
};

}  // namespace marsim::control
