#pragma once

#include "config/yaml_reader.hpp"
#include "marsim/vehicle/imu.hpp"

namespace marsim::config {

/// The imu map of a vehicle: `model` names a file in config/imu, the other keys override it.
void readMountedImu(YamlReader& reader, vehicle::ImuConfig& imu);

}  // namespace marsim::config
