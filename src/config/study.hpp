// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "marsim/common/time.hpp"

namespace marsim::config {

/// One data set as its file describes it: everything that determines its files.
struct DatasetRun {
  std::string scenario;    ///< a name of config/dataset or a file; empty: a trajectory
  std::string trajectory;  ///< a file; empty: a scenario
  std::string trajectory_frame = "enu";
  std::map<std::string, std::string> arguments;  ///< of sim.launch
  std::string format = "asl,tum,kitti,pcd";
  std::string frame = "enu";
  std::string truth_frame = "auto";
  bool image_truth = false;
  std::optional<double> imu_rate, truth_rate;  ///< [Hz] none: as usual
  std::optional<TimeNs> duration;              ///< none: until the flight is complete
  std::optional<std::uint64_t> seed;           ///< none: the scenario's first
};

/// Throws as the loaders of load.hpp do. Relative paths are from the file's folder.
DatasetRun loadDatasetRun(const std::filesystem::path& path);
/// The text of such a file. It describes the same run from any folder, if paths are full.
std::string textOf(const DatasetRun& run);

/// A difference between the runs of a study: "seed", "scenario", "trajectory" or the name of an
/// argument, and its values, or a range of numbers.
struct Factor {
  std::string name;
  std::vector<std::string> values;  ///< empty: a range
  double from = 0.0, to = 0.0;      ///< of a range
  int steps = 0;                    ///< values of a range on a grid, both ends among them
};

/// Many data sets that differ in some factors.
struct Study {
  std::string file;  ///< named in errors
  std::string description;
  DatasetRun common;
  std::vector<Factor> factors;
  /// All combinations, or samples, one per run: a Latin hypercube (McKay and others 1979), in which
  /// each of equal parts of a factor's range occurs once.
  bool is_grid = true;
  std::uint64_t runs = 0;         ///< of a Latin hypercube
  std::uint64_t design_seed = 1;  ///< of a Latin hypercube

  /// Number of runs, which may exceed what fits into memory.
  double count() const;
  /// The values of every factor in every run, in the factors' order. A number comes as SI.
  std::vector<std::vector<std::string>> expanded() const;
  /// The common run with these values. Throws ConfigError for an invalid seed.
  DatasetRun runOf(const std::vector<std::string>& values) const;
};

Study loadStudy(const std::filesystem::path& path);

}  // namespace marsim::config
