// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/run_inputs.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "common/data_dir.hpp"
#include "common/input_file.hpp"
#include "config/names.hpp"
#include "config/scenario.hpp"
#include "map/cache/checksum.hpp"
#include "marsim/config/load.hpp"
#include "tools/suite/scenario_launch.hpp"

namespace marsim::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestInput = 1U << 30U;  // bytes of a scenario, trajectory or sensor

/// A kind of files, with a function that reads one of them and all files that it names.
struct Kind {
  const char* name;
  std::function<void(const std::string&)> load;
};

// Kinds by argument.
const std::map<std::string, Kind> kKinds = {
    {"lidar", {"lidar", config::loadLidar}},
    {"depth", {"depth", config::loadDepthCamera}},
    {"camera", {"camera", config::loadCameras}},
    {"imu", {"imu", config::loadImu}},
    {"vehicle", {"vehicle", config::loadVehicle}},
    {"controller", {"control", config::loadController}},
    {"obstacles", {"obstacles", config::loadObstacles}},
    {"vegetation", {"vegetation", [](const std::string& name) { config::loadVegetation(name); }}},
    {"surfaces", {"surfaces", config::loadSurfaces}},
    {"weather", {"weather", config::loadWeather}}};

std::string lineOf(const fs::path& file) {
  return fmt::format("{} {}", file.filename().string(), digestOf(file));
}

std::vector<std::string> inputsOfMap(const std::string& value) {
  const std::vector<std::string> places = config::yamlNames(dataDir() / "maps");
  if (std::find(places.begin(), places.end(), value) != places.end()) {
    return {lineOf(dataDir() / "maps" / (value + ".yaml"))};
  }
  const map::MapFileKey key = map::hashFile(value);
  return {fmt::format("{} {:016x}{:016x}", fs::path(value).filename().string(), key[1], key[0])};
}

}  // namespace

std::string digestOf(const fs::path& file) {
  const std::string text = readFile(file, kLargestInput);
  return fmt::format("{:016x}", map::checksum(text.data(), text.size()));
}

std::vector<std::string> inputsOf(const std::string& argument, const std::string& value) {
  if (argument == "map") return inputsOfMap(value);
  std::error_code none;
  const bool is_trajectory = argument == "replay"
                                 ? value != "none"
                                 : argument == "epoch" && fs::is_regular_file(value, none);
  if (is_trajectory) return {lineOf(value)};
  const auto kind = kKinds.find(argument);
  if (kind == kKinds.end()) return {};
  const std::vector<std::string> names = config::knownNames(kind->second.name);
  const bool is_file =
      config::isYamlPath(value) || std::find(names.begin(), names.end(), value) != names.end();
  if (!is_file) return {};
  ReadLog log;
  kind->second.load(value);
  const std::vector<fs::path> files = log.files();
  std::vector<std::string> lines;
  for (const fs::path& file : files) lines.push_back(lineOf(file));
  return lines;
}

std::vector<std::string> inputsOfScenario(const std::string& name_or_path) {
  const scenario::Scenario scenario =
      config::loadScenario(config::resolve("dataset", name_or_path), config::Purpose::kDataset);
  std::vector<std::string> lines = {lineOf(scenario.file)};
  for (const auto& [uav, flight] : scenario.flights) {
    if (!flight.trajectory.empty()) lines.push_back(lineOf(flight.trajectory));
  }
  for (const auto& [name, value] : scenario.arguments) {
    const std::vector<std::string> more = inputsOf(name, fromScenario(scenario, value));
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

}  // namespace marsim::tools
