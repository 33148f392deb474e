// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/text.hpp"
#include "config/launch_words.hpp"
#include "config/names.hpp"
#include "config/sensor_readers.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

using lidar::LidarConfig;

struct LidarFile {
  LidarConfig lidar;
  std::optional<vehicle::ImuConfig> imu;  // built in, at its pose in the sensor
};

LidarFile readLidarFile(const std::filesystem::path& path) {
  LidarFile result;
  LidarConfig& config = result.lidar;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    config.declare(reader);
    reader.requireMap("pattern",
                      [&](YamlReader& pattern) { readPattern(pattern, config.pattern); });
    reader.readMap("imu", [&](YamlReader& imu) { readMountedImu(imu, result.imu.emplace()); });
  });
  config.validate(path.string());
  if (result.imu) result.imu->validate(path.string() + ": imu");
  return result;
}

}  // namespace

LidarConfig loadLidar(const std::string& name_or_path) {
  return readLidarFile(resolve("lidar", name_or_path)).lidar;
}

void chooseBeam(const std::string& rays, const std::string& returns, const std::string& where,
                LidarConfig& lidar) {
  if (rays == "auto" && returns == "auto") return;
  if (rays != "auto") {
    const std::vector<int> counts = {1, 7, 9, 19, 37};
    const auto found = std::find_if(counts.begin(), counts.end(),
                                    [&](int count) { return std::to_string(count) == rays; });
    Validator(where).require(found != counts.end(), "rays", fmt::format("'{}'", clipped(rays)),
                             "auto | 1 | 7 | 9 | 19 | 37");
    lidar.beam.rays = *found;
  }
  if (returns != "auto") {
    const auto& modes = lidar::returnModes();
    const auto found = std::find_if(modes.begin(), modes.end(),
                                    [&](const auto& mode) { return mode.first == returns; });
    if (found == modes.end()) {
      std::vector<std::string> known = {"auto"};
      for (const auto& mode : modes) known.push_back(mode.first);
      throw UnknownNameError(where, "returns", returns, known);
    }
    lidar.returns.mode = found->second;
    if (found->second != lidar::ReturnMode::kFirst) lidar.returns.signal_cutoff = 0.0;
  }
  lidar.validate(
      fmt::format("{}: {} with rays {} and returns {}", where, lidar.name, rays, returns));
}

bool hasImu(const std::string& lidar) {
  return lidar != "none" && readLidarFile(resolve("lidar", lidar)).imu.has_value();
}

vehicle::ImuConfig loadLidarImu(const std::string& name_or_path) {
  const std::filesystem::path path = resolve("lidar", name_or_path);
  LidarFile file = readLidarFile(path);
  if (!file.imu) {
    throw ConfigError(path.string(), "imu", "missing",
                      "a map with the model and place of the IMU in this sensor");
  }
  file.imu->X_BI = file.lidar.X_BS * file.imu->X_BI;
  return *file.imu;
}

}  // namespace marsim::config
