// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/study.hpp"
#include "dataset/format.hpp"
#include "marsim/common/bounds.hpp"
#include "marsim/common/time.hpp"
#include "scenario/scenario.hpp"

/// Data sets of simulated flights, without ROS.
namespace marsim::tools {

/// A requested data set. `truth_frame`, for TUM's poses: base, imu, lidar, depth, camera or a place
/// (config::placeInBody); auto: the first camera, else the depth camera, else base.
struct DatasetRequest : config::DatasetRun {
  static constexpr Bounds kDurations{0.0, scenario::kLongestDuration, true}, kThreads{0, 1024};
  static constexpr Bounds kRates{0.1, 1000.0};  // [Hz]

  std::string run_file;        ///< file of the request; empty: the command line
  std::string airsim;          ///< AirSim's settings.json with sensors to carry; empty: none
  std::string airsim_vehicle;  ///< whose sensors; empty: the first that has some
  int threads = 0;             ///< of the renderers, 0: all cores
  std::vector<dataset::Format> formats;
  dataset::Axes axes = dataset::Axes::kEnu;
  dataset::Axes trajectory_axes = dataset::Axes::kEnu;  ///< of the trajectory's file
  std::filesystem::path out;

  /// Source and field for errors: "truth_frame" of a run's file is --truth-frame on the command
  /// line.
  std::string where() const;
  std::string field(const std::string& key) const;
  /// Reads formats and axes from their words. Throws ConfigError, UnknownNameError.
  void readWords();
};

/// The result of making a data set.
struct DatasetSummary {
  bool was_complete = false;  ///< nothing had to be done; only `text` is set
  bool interrupted = false;   ///< by the user; the folder is not complete
  TimeNs duration = 0;
  std::size_t goals = 0, reached = 0;
  int contacts = 0;
  std::string text;  ///< of summary.json
};

/// The request of a run's file; `out` is left empty. Throws FileError,
/// ConfigError.
DatasetRequest requestOf(const std::filesystem::path& run_file);

/// Flies and writes. Two calls with the same request give the same files. Throws the errors of
/// loaders, ConfigError for the request, FileError for the folder and its files.
DatasetSummary makeDataset(const DatasetRequest& request);

}  // namespace marsim::tools
