// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <variant>

#include <Eigen/Geometry>

#include "marsim/common/rotor_array.hpp"
#include "marsim/control/reference.hpp"

namespace marsim::control {

/// An attitude to hold with a collective thrust.
struct AttitudeSetpoint {
  Eigen::Quaterniond q_WB = Eigen::Quaterniond::Identity();
  double yaw_rate = 0.0;  ///< [rad/s] about the vertical, feed-forward
  double thrust = 0.0;    ///< [N] along body z
};

/// Body rates to hold with a collective thrust.
struct RateSetpoint {
  Eigen::Vector3d w_WB_B = Eigen::Vector3d::Zero();  ///< [rad/s] in B
  double thrust = 0.0;                               ///< [N] along body z
};

/// Commanded speeds of the rotors, past all loops.
struct MotorSetpoint {
  RotorArray speeds;  ///< [rad/s]
};

/// The set point of a controller at one instant, at one of the levels of its cascade.
using Setpoint = std::variant<Reference, AttitudeSetpoint, RateSetpoint, MotorSetpoint>;

}  // namespace marsim::control
