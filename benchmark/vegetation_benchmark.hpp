// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace marsim::benchmarks {

struct VegetationBench {
  std::vector<std::string> sensors = {"avia", "mid360", "vlp16", "os1_64"};
  std::string map = "courtyard";         ///< argument of config::resolveMap
  std::string vegetation = "courtyard";  ///< argument of config::loadVegetation
  double resolution = 0.1;               ///< [m] r of the map
  int repeats = 10;                      ///< timings per pose
  std::filesystem::path work;            ///< folder for maps
};

/// Times scans 1.8 m above the ground with and without vegetation, in turn on one thread, in
/// processor time, and prints them with the memory of the plants. Throws Error.
void runVegetationBench(const VegetationBench& bench);

}  // namespace marsim::benchmarks
