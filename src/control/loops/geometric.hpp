// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control/loops/actuation.hpp"
#include "marsim/control/controller.hpp"

namespace marsim::control {

/// The attitude whose thrust points along the unit vector `z_W` and whose x axis has exactly the
/// heading `yaw`: the level heading turned up or down so that it is at right angles to z.
Eigen::Quaterniond attitudeOf(const Eigen::Vector3d& z_W, double yaw);

/// A force and its derivatives by time, in W.
struct ForceMotion {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();         ///< [N]
  Eigen::Vector3d rate = Eigen::Vector3d::Zero();          ///< [N/s]
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero();  ///< [N/s^2]
};

/// A wanted attitude and how it turns.
struct AttitudeMotion {
  Eigen::Matrix3d R_WD = Eigen::Matrix3d::Identity();  ///< wanted body frame D in world
  Eigen::Vector3d w_WD_D = Eigen::Vector3d::Zero();    ///< [rad/s] in D
  Eigen::Vector3d dw_WD_D = Eigen::Vector3d::Zero();   ///< [rad/s^2] in D
};

/// The attitude that points the thrust along a force at a heading, and how it turns while the force
/// changes and the heading turns at a steady rate [rad/s].
AttitudeMotion attitudeMotion(const ForceMotion& force, double yaw, double yaw_rate);

/// Gains of the attitude, along B.
struct TorqueGains {
  Eigen::Vector3d attitude = Eigen::Vector3d::Zero();  ///< k_R [N m]
  Eigen::Vector3d rate = Eigen::Vector3d::Zero();      ///< k_Omega [N m s]
};

/// The torque [N m] in B that tracks an attitude: Lee, Leok and McClamroch, "Geometric tracking
/// control of a quadrotor UAV on SE(3)" (CDC 2010), eq. 16. inertia [kg m^2], body rate [rad/s].
Eigen::Vector3d geometricTorque(const TorqueGains& gains, const Eigen::Vector3d& inertia,
                                const Eigen::Matrix3d& R_WB, const Eigen::Vector3d& w_WB_B,
                                const AttitudeMotion& wanted);

/// Geometric tracking controller on SE(3) (Lee, Leok, McClamroch, CDC 2010). It reads pose,
/// velocity and body rate. The wanted attitude is tracked with its own body rate and angular
/// acceleration, from the reference's acceleration and jerk (snap taken as zero) and from the
/// position loop's own motion by the model of the vehicle.
///
/// Gains follow from the loop specifications: k_x = m wn^2, k_v = 2 zeta m wn; k_R and k_Omega
/// place the poles of small errors of attitude behind the motors' lag at the specification's (J
/// wn^2 and 2 zeta J wn for fast motors). Beyond the paper there are limits of speed, tilt and
/// thrust, an integral of the velocity error, and drag (Faessler, Franchi, Scaramuzza, 2018).
class GeometricController : public Controller {
 public:
  /// Throws ConfigError (see Actuation).
  GeometricController(const ControllerConfig& config, const VehicleModel& vehicle);

  RotorArray update(const KinematicState& state, const Reference& reference) override;
  RotorArray trackAttitude(const KinematicState& state, const Eigen::Quaterniond& q_WB_wanted,
                           double yaw_rate, double thrust) override;
  RotorArray trackRates(const KinematicState& state, const Eigen::Vector3d& w_WB_B_wanted,
                        double thrust) override;
  void reset() override;
  void rest() override;

 private:
  ForceMotion wantedForce(const KinematicState& state, const Reference& reference, double dt);
  ForceMotion steered(const KinematicState& state, const Reference& reference,
                      const AirDrag& drag) const;
  RotorArray command(double thrust, const Eigen::Vector3d& torque_B);

  ControllerConfig config_;
  VehicleModel vehicle_;
  Actuation actuation_;
  double position_gain_, velocity_gain_;  ///< k_x/m [1/s^2], k_v/m [1/s]
  TorqueGains gains_;
  Eigen::Vector3d integral_ = Eigen::Vector3d::Zero();  ///< [m/s^2]
};

}  // namespace marsim::control
