// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace marsim::benchmarks {

struct ObjectsBench {
  std::vector<std::string> sensors = {"avia", "mid360"};
  std::string place = "forest";
  double resolution = 0.1;  ///< [m] r of the map
  int obstacles = 100;      ///< of mixed kinds
  int peers = 10;
  int repeats = 20;            ///< timings per pose
  std::filesystem::path work;  ///< folder for clouds and maps
};

/// Processor times of one sensor's scans in flight on one thread: medians over the poses of each
/// pose's least repeat.
struct ObjectsCost {
  std::string sensor;
  double alone_ms = 0.0;          ///< without objects
  double with_objects_ms = 0.0;   ///< including their poses
  double share_on_objects = 0.0;  ///< of the returns, 0 to 1
  double overheadPercent() const { return 100.0 * (with_objects_ms / alone_ms - 1.0); }
};

/// Measures the time that obstacles and peers add to a scan; both kinds of scan in turn in one
/// process. Throws UnknownNameError, Error.
std::vector<ObjectsCost> measureObjects(const ObjectsBench& bench);
/// Prints the costs as a table on the terminal.
void runObjectsBench(const ObjectsBench& bench);

}  // namespace marsim::benchmarks
