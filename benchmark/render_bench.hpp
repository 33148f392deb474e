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
  int repeats = 5;             ///< timings a pose
  int oracle_rays = 1000;      ///< a cell
  bool opengl = false;         ///< OpenGL, beside the processor on the first number of threads
  bool starts = true;          ///< measure making and mapping every map
  std::filesystem::path work;  ///< clouds and made maps are kept here
  std::string program;         ///< this program, started anew to measure starts
};

/// Times every renderer on every cell, with Google Benchmark, and beside it Embree's disc points on
/// the same surfels and rays where it was found. Prints the table as it grows. Stops early, with
/// the rows it has, after SIGINT.
std::vector<Row> runRenderBench(const RenderBench& bench);

}  // namespace marsim::benchmarks
