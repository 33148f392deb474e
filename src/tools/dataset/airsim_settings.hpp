// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>

#include "marsim/lidar/lidar.hpp"
#include "marsim/vehicle/imu.hpp"

namespace marsim::tools {

/// The sensors of a vehicle in AirSim's settings.json, with its keys, units and defaults: an IMU
/// (SensorType 2) and a LiDAR (6). Poses are converted from forward, right, down to forward, left,
/// up.
struct AirsimSensors {
  std::optional<vehicle::ImuConfig> imu;  ///< with its errors; rate and mounting are `base`'s
  std::optional<lidar::LidarConfig> lidar;
};

/// Reads the first vehicle of the file that has sensors, or else DefaultSensors. Ignores sensors of
/// other kinds, and those that are not Enabled. Throws FileError and ConfigError.
AirsimSensors loadAirsim(const std::filesystem::path& path, const vehicle::ImuConfig& base);

}  // namespace marsim::tools
