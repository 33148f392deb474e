#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace marsim::benchmarks {

struct VegetationBench {
  std::vector<std::string> sensors = {"avia", "mid360", "vlp16", "os1_64"};
  std::string map = "courtyard";         ///< as config::resolveMap takes it
  std::string vegetation = "courtyard";  ///< as config::loadVegetation takes it
  double resolution = 0.1;               ///< [m] r of the map
  int repeats = 10;                      ///< timings a pose
  std::filesystem::path work;            ///< made maps are kept here
};

/// Times scans 1.8 m above the ground with and without vegetation, in turn on one thread, processor
/// time, and prints them with the memory that the plants take. Throws Error.
void runVegetationBench(const VegetationBench& bench);

}  // namespace marsim::benchmarks
