#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "map_tools/recording.hpp"
#include "marsim/common/bounds.hpp"
#include "marsim/common/progress.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::tools {

/// Settings of measureAccuracy.
struct AccuracyConfig {
  static constexpr Bounds kLeaveOut{2, 1e6}, kRays{1, 1e9};

  map_tools::RecordingConfig recording;
  map::SurfelMapConfig map;
  std::size_t leave_out = 10;  ///< every so many scans one is left out of the map
  std::size_t rays = 20'000;   ///< at most so many beams of a scan

  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// How some beams fare. Errors are the range in the map less the measured one.
struct AccuracyRow {
  std::string name;
  std::size_t beams = 0;
  double misses = 0.0;         ///< share that meets nothing up to 0.5 m behind what was measured
  double too_near = 0.0;       ///< share that meets something more than 0.3 m before it
  double median = 0.0;         ///< [m] of the errors' sizes, of all but those two
  double signed_median = 0.0;  ///< [m] of the errors
  double high = 0.0;           ///< [m] nine of ten errors are smaller
};

/// How true a map is to beams that it was not made of.
struct Accuracy {
  std::size_t scans_in_map = 0, scans_left_out = 0;
  std::size_t surfels = 0;
  std::vector<std::string> notes;  ///< how the recording was read
  AccuracyRow all;
  std::vector<AccuracyRow> by_range, by_incidence;
  /// [m] Mean distance from the real points to the nearest simulated one, and the other way (Kong
  /// et al., "MARSIM", RA-L 2023, Table III, on the same beams).
  double real_to_simulated = 0.0, simulated_to_real = 0.0;
  std::vector<Eigen::Vector3f> places;  ///< [m] in W, where the beams were measured to end
  std::vector<float> errors;            ///< [m] sizes there; of misses infinite
};

/// Makes a map of a recording's scans but every so many, and casts the beams of those at it. Throws
/// what readRecording throws, ConfigError, and Error where there are too few scans or they do not
/// fit each other.
Accuracy measureAccuracy(const AccuracyConfig& config, Progress& progress);

}  // namespace marsim::tools
