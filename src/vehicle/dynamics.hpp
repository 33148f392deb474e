// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/vehicle/quadrotor.hpp"

namespace marsim::vehicle {

/// Inputs of the dynamics that stay constant over a step.
struct DynamicsInputs {
  const VehicleConfig& config;
  const Airframe& airframe;
  const RotorColumns& commands;     ///< [rad/s]
  const Eigen::Vector3d& force_W;   ///< [N] at B's origin
  const Eigen::Vector3d& torque_B;  ///< [N m]
  const Eigen::Vector3d& wind_W;    ///< [m/s] of the air
  double ground_z;                  ///< [m] of the plane for the ground effect; -inf: none
};

/// Accelerations of a vehicle in a state while its rotors turn at `speeds` [rad/s].
Accelerations accelerations(const DynamicsInputs& in, const KinematicState& state,
                            const RotorColumns& speeds);

/// Thrust [N] along body z, without drag.
double thrustOf(const DynamicsInputs& in, const KinematicState& state, const RotorColumns& speeds);

/// One classical Runge-Kutta step of dt [s] from known accelerations: changes position, velocity,
/// attitude and body rate in `state`, and the motors. Speeds may have passed their limits.
void integrate(const DynamicsInputs& in, const Accelerations& here, double dt,
               KinematicState& state, MotorMotion& motors);

}  // namespace marsim::vehicle
