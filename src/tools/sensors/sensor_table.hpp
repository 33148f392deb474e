#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "marsim/lidar/lidar.hpp"

/// A table of the sensors, as their patterns fire.
namespace marsim::tools {

struct SensorSummary {
  std::string name;                     ///< to be used as --lidar and lidar:=
  std::string sensor;                   ///< in full
  double fov_h_deg = 0;                 ///< azimuth covered, gaps of more than a degree left out
  double fov_v_deg = 0;                 ///< highest elevation less the lowest
  double range_min = 0, range_max = 0;  ///< [m]
  double rate_hz = 0;                   ///< scans a second
  std::int64_t points_per_s = 0;        ///< shots inside the field of view, in the mean
  std::string pattern;                  ///< "risley", ...
  std::string output;                   ///< layouts, the first first: "xyzit, livox_custom"
};

/// Fires the sensor's pattern for the first second of simulated time.
SensorSummary summarise(const std::string& name, const lidar::LidarConfig& config);

/// Summaries of sensors by name or file; of all that come with the package where none is given.
std::vector<SensorSummary> summariseSensors(std::vector<std::string> names);

/// A table for people, aligned.
std::string sensorTable(const std::vector<SensorSummary>& sensors);
/// A list of objects; angles to a tenth of a degree.
std::string sensorJson(const std::vector<SensorSummary>& sensors);
/// Rows of the table in docs/sensors.md.
std::string sensorMarkdown(const std::vector<SensorSummary>& sensors);

}  // namespace marsim::tools
