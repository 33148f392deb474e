// SPDX-License-Identifier: BSD-3-Clause
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

/// Times nine rays per beam and weather in the scenes of test/physics. Prints a table of all rows;
/// returns whether all are within their bounds.
bool runBeamsBench(const BeamsBench& bench);

}  // namespace marsim::benchmarks
