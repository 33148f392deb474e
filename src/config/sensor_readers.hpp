// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/yaml_reader.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/lidar/beam.hpp"
#include "marsim/lidar/depth_camera.hpp"
#include "marsim/lidar/intensity.hpp"
#include "marsim/lidar/noise.hpp"
#include "marsim/lidar/scan_pattern.hpp"
#include "marsim/vehicle/imu.hpp"

/// Parts of the files of sensors.
namespace marsim::config {

/// The imu map of a vehicle: `model` names a file in config/imu, the other keys override it.
void readMountedImu(YamlReader& reader, vehicle::ImuConfig& imu);

/// The map below `pattern:` of a sensor's file.
void readPattern(YamlReader& reader, lidar::PatternConfig& pattern);

}  // namespace marsim::config
