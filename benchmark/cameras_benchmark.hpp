// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace marsim::benchmarks {

struct CamerasBench {
  std::vector<std::string> cameras = {"stereo", "d435i"};  ///< as config::loadCameras takes them
  std::vector<std::string> places = {"forest", "building"};
  std::vector<double> resolutions = {0.1, 0.05};  ///< [m] r of the maps
  int repeats = 3;                                ///< timings per pose
  std::filesystem::path work;                     ///< folder for clouds and maps
};

/// Times the image of a file's first camera on one thread in processor time: all of it, its hits
/// alone, and without smoothed edges. Prints a table. Throws Error.
void runCamerasBench(const CamerasBench& bench);

}  // namespace marsim::benchmarks
