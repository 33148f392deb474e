// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "marsim/vehicle/vehicle_config.hpp"

namespace marsim::config {

/// As loadVehicle(), for what flies. Throws ConfigError also for a vehicle on wheels.
vehicle::VehicleConfig loadMultirotor(const std::string& name_or_path);

}  // namespace marsim::config
