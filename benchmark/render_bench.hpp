// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench_row.hpp"

namespace marsim::benchmarks {

struct RenderBench {
  std::vector<std::string> sensors, places;
  std::vector<double> resolutions;  ///< [m]
  std::vector<int> threads = {1, 2};
  int repeats = 5;             ///< timings per pose
  int oracle_rays = 1000;      ///< per cell
  bool opengl = false;         ///< OpenGL, beside the processor on the first number of threads
  bool starts = true;          ///< measure making and mapping every map
  std::filesystem::path work;  ///< folder for clouds and maps
  std::string program;         ///< this program, started anew to measure starts
};

/// Times every renderer on every cell, with Google Benchmark, and Embree's disc points on the same
/// surfels and rays if Embree was found. Prints the table as it grows. Stops early, with the rows
/// so far, after SIGINT.
std::vector<Row> runRenderBench(const RenderBench& bench);

}  // namespace marsim::benchmarks
