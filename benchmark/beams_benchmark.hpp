#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace marsim::benchmarks {

struct BeamsBench {
  bool quick = false;  ///< no timings
  std::vector<std::string> sensors = {"avia", "mid360", "vlp16", "vlp32c", "os1_128"};  ///< timed
  std::vector<std::string> places = {"forest", "building"};
  std::vector<int> threads = {1, 2};
  int repeats = 10;            ///< timings per pose
  std::string out;             ///< JSON file for the rows; empty: none
  std::string pictures;        ///< folder for pictures; empty: none
  std::filesystem::path work;  ///< folder for clouds and maps
};

/// What nine rays a beam and weather cost, as a table; draws the scenes of test/physics. Whether
/// all rows are within their bounds.
bool runBeamsBench(const BeamsBench& bench);

}  // namespace marsim::benchmarks
