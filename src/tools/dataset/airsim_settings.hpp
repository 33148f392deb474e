#pragma once

#include <filesystem>
#include <optional>

#include "marsim/lidar/lidar.hpp"
#include "marsim/vehicle/imu.hpp"

namespace marsim::tools {

/// The sensors of a vehicle as AirSim's settings.json describes them, by its keys, units and
/// defaults: an IMU (SensorType 2) and a LiDAR (6). Poses are turned from forward, right, down to
/// forward, left, up.
struct AirsimSensors {
  std::optional<vehicle::ImuConfig> imu;  ///< its errors; rate and mounting are those of `base`
  std::optional<lidar::LidarConfig> lidar;
};

/// Reads the first vehicle of the file that has sensors, or else DefaultSensors. Sensors of other
/// kinds, and those that are not Enabled, are passed over. Throws FileError and ConfigError.
AirsimSensors loadAirsim(const std::filesystem::path& path, const vehicle::ImuConfig& base);

}  // namespace marsim::tools
