// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "marsim/vehicle/vehicle_config.hpp"

namespace marsim::sim {

/// Rates of the simulation; each period is a whole multiple of the dynamics step.
struct RateConfig {
  double dynamics = 1000.0;  ///< [Hz]
  double state = 500.0;      ///< [Hz] reports to controller and sensors (VehicleReport)
  double odometry = 200.0;   ///< [Hz]

  /// Throws ConfigError where a rate does not divide the dynamics rate, or the dynamics step is not
  /// a whole number of microseconds.
  void validate(const std::string& where) const;
};

/// Checks that a vehicle and its IMU can be stepped at these rates. Throws ConfigError where the
/// IMU's rate does not divide the dynamics rate or the motors' time constant is too short for the
/// dynamics step.
void validateRates(const RateConfig& rates, const vehicle::VehicleConfig& vehicle,
                   const std::string& where);

}  // namespace marsim::sim
