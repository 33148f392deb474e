// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "marsim/map/surfel.hpp"

namespace marsim::benchmarks {

struct ScanBench {
  std::vector<std::string> sensors = {"avia", "mid360", "vlp16", "os1_128"};
  std::vector<std::string> places = {"forest", "building"};
  double resolution = 0.1;  ///< [m] r of the maps
  map::Surface surface = map::Surface::kBlended;
  std::vector<int> threads = {1, 2};
  int repeats = 20;            ///< timings per pose
  std::filesystem::path work;  ///< folder for clouds and maps
};

/// Measures the time added to a scan by points' own times, by their own poses in flight, by noise
/// and by intensities; all variants in turn in one process. Prints a table. Throws
/// UnknownNameError, Error.
void runScanBench(const ScanBench& bench);

}  // namespace marsim::benchmarks
