// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>

#include "config/launch_words.hpp"
#include "config/names.hpp"
#include "config/sensor_readers.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
using vehicle::ImuConfig;

void readMountedImu(YamlReader& reader, ImuConfig& imu) {
  if (reader.has("model")) {
    std::string model;
    reader.required("model", model);
    const std::vector<std::string> known = knownNames("imu");
    if (!isYamlPath(model) && std::find(known.begin(), known.end(), model) == known.end()) {
      reader.fail("model", fmt::format("'{}'", model),
                  fmt::format("a path, {}", fmt::join(known, ", ")));
    }
    imu = loadImu(model);
  }
  imu.declare(reader);
}

ImuConfig chooseImu(const std::string& word, const ImuConfig& of_vehicle,
                    const std::string& lidar) {
  if (word == "vehicle" || (word == "auto" && !hasImu(lidar))) return of_vehicle;
  if (word == "lidar" || word == "auto") return loadLidarImu(lidar);
  ImuConfig chosen = loadImu(word);
  chosen.X_BI = of_vehicle.X_BI;
  return chosen;
}

ImuConfig loadImu(const std::string& name_or_path) {
  const std::filesystem::path path = resolve("imu", name_or_path);
  ImuConfig config;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    std::string name;
    reader.required("name", name);
    config.declare(reader);
  });
  config.validate(path.string());
  return config;
}

}  // namespace marsim::config
