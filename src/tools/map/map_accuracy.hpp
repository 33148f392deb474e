// SPDX-License-Identifier: BSD-3-Clause
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
  std::size_t leave_out = 10;  ///< one scan in so many is left out of the map
  std::size_t rays = 20'000;   ///< most beams of a scan

  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// Results of some beams. An error is the range in the map less the measured one.
struct AccuracyRow {
  std::string name;
  std::size_t beams = 0;
  double misses = 0.0;         ///< share without a hit up to 0.5 m behind the measured range
  double too_near = 0.0;       ///< share with a hit more than 0.3 m before it
  double too_far = 0.0;        ///< share with a hit more than 0.3 m behind it
  double median = 0.0;         ///< [m] of the absolute errors of hits that are not too near
  double signed_median = 0.0;  ///< [m] of the errors
  double high = 0.0;           ///< [m] 90 % of the errors are smaller
};

/// Results of beams cast at one map.
struct AccuracyTable {
  std::size_t surfels = 0;
  AccuracyRow all;
  /// By the measured range, the angle of incidence on the map, and the points around the measured
  /// end: they lie on a sheet all round it, on one side of it, or on none.
  std::vector<AccuracyRow> by_range, by_incidence, by_kind;
};

/// Accuracy of a map, from beams that it was not made from.
struct Accuracy : AccuracyTable {
  AccuracyTable without_beams;  ///< of the map of the points alone, see map::BeamEvidence
  std::size_t scans_in_map = 0, scans_left_out = 0;
  std::vector<std::string> notes;  ///< how the recording was read
  /// [m] Mean distance from the real points to the nearest simulated one, and the reverse (Kong et
  /// al., "MARSIM", RA-L 2023, Table III, on the same beams).
  double real_to_simulated = 0.0, simulated_to_real = 0.0;
  std::vector<Eigen::Vector3f> places;  ///< [m] in W, the measured ends of beams
  std::vector<float> errors;            ///< [m] absolute errors there; infinite for misses
};

/// Makes a map from a recording without every n-th scan, and casts the beams of these scans at it.
/// Throws the errors of readRecording, ConfigError, and Error if there are too few scans or they do
/// not fit each other.
Accuracy measureAccuracy(const AccuracyConfig& config, Progress& progress = Progress::none());

}  // namespace marsim::tools
