// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "marsim/vehicle/imu.hpp"
#include "marsim/vehicle/navigation_sensors.hpp"
#include "marsim/vehicle/vehicle_config.hpp"

namespace marsim::vehicle {

/// A vehicle and the sensors that belong to it.
struct EquippedVehicle {
  VehicleConfig vehicle;
  ImuConfig imu;
  std::optional<MagnetometerConfig> magnetometer;
  std::optional<BarometerConfig> barometer;
  std::optional<GnssConfig> gnss;
};

}  // namespace marsim::vehicle
