// SPDX-License-Identifier: BSD-3-Clause
#include "starts.hpp"

#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "marsim/common/error.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/map/load_map.hpp"
#include "places.hpp"
#include "sensors.hpp"
#include "tools/process/child_process.hpp"

namespace marsim::benchmarks {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double processorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A sum [MB] of kilobytes over the lines of a file that begin with a text.
double megabytesOf(const char* file_name, const std::string& beginning) {
  std::ifstream file(file_name);
  double kilobytes = 0.0;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(beginning, 0) == 0) kilobytes += std::stod(line.substr(line.find(':') + 1));
  }
  return kilobytes / 1024.0;
}

// Not from rusage, which begins with the memory of the process that started this one.
double peakMb() { return megabytesOf("/proc/self/status", "VmHWM:"); }

// This process's own memory; pages of the mapped file are shared.
double privateMb() { return megabytesOf("/proc/self/smaps_rollup", "Private_Dirty:"); }

nlohmann::json runOnce(const std::vector<std::string>& command, double& seconds) {
  nlohmann::json figures;
  const auto start = Clock::now();
  const tools::ChildResult result = tools::runChild({command, {}, {}, 0.0}, [&](auto& line) {
    if (line.rfind('{', 0) == 0) figures = nlohmann::json::parse(line);
  });
  seconds = secondsSince(start);
  if (result.exit_code != 0 || figures.is_null()) {
    throw Error(fmt::format("{} start: failed with exit code {}", command[0], result.exit_code));
  }
  return figures;
}

}  // namespace

Starts measureStarts(const std::string& program, const fs::path& cloud,
                     const map::SurfelMapConfig& config, const fs::path& folder) {
  const std::vector<std::string> command = {program,
                                            "start",
                                            cloud.string(),
                                            fmt::format("{}", config.resolution),
                                            map::nameOf(config.surface),
                                            folder.string()};
  std::error_code none;
  fs::remove_all(folder, none);
  Starts starts;
  const nlohmann::json first = runOnce(command, starts.first_start_to_scan_s);
  starts.source_points = first["source_points"];
  starts.preprocess_s = first["load_s"];
  starts.preprocess_cpu_s = first["load_cpu_s"];
  starts.preprocess_peak_mb = first["peak_mb"];
  const nlohmann::json second = runOnce(command, starts.warm_start_to_scan_s);
  starts.process_private_mb = second["private_mb"];
  return starts;
}

int startOnce(const std::string& cloud, const map::SurfelMapConfig& config,
              const fs::path& folder) {
  map::MapLoading loading;
  loading.folder = folder;
  const auto start = Clock::now();
  const map::LoadedMap loaded = map::loadSurfelMap(cloud, config, Progress::none(), loading);
  nlohmann::json figures = {{"load_s", secondsSince(start)},
                            {"load_cpu_s", processorSeconds()},
                            {"peak_mb", peakMb()},
                            {"source_points", loaded.source.points}};
  const auto renderer = lidar::makeRayCaster(loaded.map, {});
  std::vector<lidar::Hit> hits;
  renderer->cast(sensorOf("avia").rays(poseOf({"building", config.resolution}, 0), 0), hits);
  figures["private_mb"] = privateMb();
  fmt::print("{}\n", figures.dump());
  return 0;
}

}  // namespace marsim::benchmarks
