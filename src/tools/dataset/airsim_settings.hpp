// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "marsim/lidar/camera.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/vehicle/imu.hpp"

namespace marsim::tools {

/// The sensors of a vehicle in AirSim's settings.json, with its keys, units and defaults: an IMU
/// (SensorType 2), a LiDAR (6) and cameras (ImageType 0). Poses are converted from forward, right,
/// down to forward, left, up.
struct AirsimSensors {
  std::optional<vehicle::ImuConfig> imu;  ///< its rate is `base`'s
  std::optional<lidar::LidarConfig> lidar;
  std::optional<lidar::CameraRigConfig> cameras;
  std::vector<std::string> notes;  ///< lines about keys and vehicles that are not used
};

/// Reads a vehicle of the file, by default the first one that has sensors or cameras; one without
/// sensors has DefaultSensors. Keys may be in any letter case. Ignores sensors of other kinds, and
/// those that are not Enabled. Throws FileError, ConfigError and UnknownNameError.
AirsimSensors loadAirsim(const std::filesystem::path& path, const std::string& vehicle,
                         const vehicle::ImuConfig& base);

}  // namespace marsim::tools
