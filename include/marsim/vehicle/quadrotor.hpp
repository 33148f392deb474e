// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <optional>

#include <Eigen/Geometry>

#include "marsim/vehicle/platform.hpp"

namespace marsim::vehicle {

/// One number per rotor, four a column, as the processor's registers hold them; zero for absent
/// rotors.
using RotorColumns = Eigen::Array<double, 4, kMostRotors / 4>;

/// Constants of a vehicle for its dynamics: the rotors side by side, inverses.
struct Airframe {
  explicit Airframe(const VehicleConfig& config);

  int columns;  ///< 1 or 2: those of RotorColumns that hold rotors
  RotorColumns x = RotorColumns::Zero(), y = x, z = x;  ///< [m] rotors in B
  RotorColumns reaction = x;        ///< [N m s^2] torque about -z per square of the speed
  double inverse_mass;              ///< [1/kg]
  Eigen::Vector3d inverse_moments;  ///< [1/(kg m^2)] without a payload
  /// Whether there is a payload, parasitic drag or ground effect, which take time and use the rest:
  bool has_more;
  Eigen::Vector3d centre_of_mass;            ///< [m] in B
  Eigen::Matrix3d inertia, inverse_inertia;  ///< [kg m^2] about the centre of mass, B's axes
};

/// The accelerations of a body.
struct Accelerations {
  Eigen::Vector3d linear_W;   ///< [m/s^2]
  Eigen::Vector3d angular_B;  ///< [rad/s^2]
};

struct DynamicsInputs;

/// Speeds of the motors [rad/s] and their rates [rad/s^2].
struct MotorMotion {
  RotorColumns speeds = RotorColumns::Zero();
  RotorColumns rates = RotorColumns::Zero();
};

/// Rigid body with four to eight motors, integrated by the classical Runge-Kutta method at fixed
/// steps. All of the state (position, velocity, attitude, body rate, motor speeds and their rates)
/// is integrated together.
class Quadrotor final : public Platform {
 public:
  explicit Quadrotor(VehicleConfig config);

  /// Places it at rest. In the air (feet more than 1 cm above the ground) with the rotors at hover
  /// speed, which they keep until the first command; else standing on the ground with the motors
  /// stopped. The ground is that of the last setGround().
  void reset(const Eigen::Vector3d& p_WB, double yaw, TimeNs stamp = 0) override;
  /// Height of the ground on which reset() lets it stand [m] (-inf: none), and of the ground
  /// effect. Contacts of a vehicle that moves are worked out outside (sim::Collisions).
  void setGround(double ground_z);
  /// Ends all motion: it stands at a pose until its thrust exceeds its weight.
  void standAt(const Pose& X_WB) override;
  /// The first command ends the hover or rest of reset().
  void command(const RotorArray& speeds) override;
  /// Weakens a motor from now on: its rotor gives this share (0 to 1) of the commanded thrust,
  /// turning more slowly by the root of it.
  void setEffectiveness(int rotor, double share) override;
  void stopMotors() override;
  /// Every drag acts on the velocity relative to the air.
  void setWind(const Eigen::Vector3d& wind_W) override;
  const Eigen::Vector3d& wind() const { return wind_W_; }
  /// Sets a force [N] in W at B's origin and a torque [N m] in B during the coming steps (tests).
  void setExternalWrench(const Eigen::Vector3d& force_W, const Eigen::Vector3d& torque_B);
  /// Advances by dt [ns]. The step must resolve the motors: dt times MotorConfig::fastestPole()
  /// below 2.5 (Runge-Kutta stability).
  void step(TimeNs dt) override;

  RotorArray motorSpeeds() const override { return perRotor(motors_.speeds); }
  RotorArray motorCommands() const override { return perRotor(commands_); }
  bool liftsOff() const override;

  /// Sets velocity [m/s in W], attitude and body rate [rad/s in B] (tests, teleport).
  void setMotion(const Eigen::Quaterniond& q_WB, const Eigen::Vector3d& v_WB,
                 const Eigen::Vector3d& w_WB_B);
  void follow(const KinematicState& state, bool on_ground = false) override;
  void leaveContact(const Pose& X_WB, const Eigen::Vector3d& v_WB,
                    const Eigen::Vector3d& w_WB_B) override;
  void setSupported(const Eigen::Vector3d& a_WB, const Eigen::Vector3d& dw_WB_B) override;

 private:
  DynamicsInputs inputs() const;
  void obeyCommands();
  RotorArray perRotor(const RotorColumns& columns) const;
  void updateAccelerations();

  Airframe airframe_;
  MotorMotion motors_;
  RotorColumns commands_ = RotorColumns::Zero();
  RotorColumns obeyed_ = RotorColumns::Zero();        // after failures and battery sag
  RotorColumns speed_shares_ = RotorColumns::Ones();  // speed of a motor by its command
  Eigen::Vector3d wind_W_ = Eigen::Vector3d::Zero();
  Eigen::Vector3d external_force_W_ = Eigen::Vector3d::Zero();
  Eigen::Vector3d external_torque_B_ = Eigen::Vector3d::Zero();
  double ground_z_ = -std::numeric_limits<double>::infinity();
  std::optional<Accelerations> unheld_;  ///< of the state, without contacts; none: not known
};

}  // namespace marsim::vehicle
