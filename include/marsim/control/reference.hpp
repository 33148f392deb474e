// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/time.hpp"

namespace marsim::control {

/// The motion that the controller tracks at one instant, in W.
struct Reference {
  Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Vector3d v_WB = Eigen::Vector3d::Zero();  ///< [m/s]
  Eigen::Vector3d a_WB = Eigen::Vector3d::Zero();  ///< [m/s^2]
  /// [m/s^3] lets the attitude lead its own lag; zero where it is not known.
  Eigen::Vector3d j_WB = Eigen::Vector3d::Zero();
  double yaw = 0.0;       ///< [rad]
  double yaw_rate = 0.0;  ///< [rad/s]
};

/// The names of the fields that a message may leave out.
struct OptionalFields {
  const char* acceleration = "acceleration";
  const char* jerk = "jerk";
  const char* yaw_rate = "yaw_rate";
};

/// Acceleration, jerk or yaw rate that are NaN or infinite count as not given: they become zero.
/// Planners leave such values in fields that their controllers never read. Returns the names.
std::vector<std::string> dropUnusable(Reference& reference, const OptionalFields& names = {});

}  // namespace marsim::control
