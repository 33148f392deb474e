// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "marsim/lidar/lidar.hpp"

/// A table of the sensors, from their patterns' shots.
namespace marsim::tools {

struct SensorSummary {
  std::string name;                     ///< for --lidar and lidar:=
  std::string sensor;                   ///< its full name
  double fov_h_deg = 0;                 ///< covered azimuth, without gaps of more than a degree
  double fov_v_deg = 0;                 ///< from the lowest to the highest elevation
  double range_min = 0, range_max = 0;  ///< [m]
  double rate_hz = 0;                   ///< scans a second
  std::int64_t points_per_s = 0;        ///< mean number of shots inside the field of view
  std::string pattern;                  ///< "risley", ...
  std::string output;                   ///< layouts, the first first: "xyzit, livox_custom"
};

/// Fires the sensor's pattern during the first second of simulated time.
SensorSummary summarise(const std::string& name, const lidar::LidarConfig& config);

/// Summaries of sensors by name or file; of all bundled ones if none is given.
std::vector<SensorSummary> summariseSensors(std::vector<std::string> names);

/// An aligned table for the terminal.
std::string sensorTable(const std::vector<SensorSummary>& sensors);
/// A list of objects; angles to a tenth of a degree.
std::string sensorJson(const std::vector<SensorSummary>& sensors);
/// Rows of the table in docs/sensors.md.
std::string sensorMarkdown(const std::vector<SensorSummary>& sensors);

}  // namespace marsim::tools
