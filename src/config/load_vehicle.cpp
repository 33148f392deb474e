// SPDX-License-Identifier: BSD-3-Clause
#include "config/load_multirotor.hpp"
#include "config/names.hpp"
#include "config/sensor_readers.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

using vehicle::VehicleConfig;

void readBody(YamlReader& reader, VehicleConfig& config) {
  if (!reader.has("body")) return;
  std::filesystem::path path;
  reader.required("body", path);
  if (!std::filesystem::is_regular_file(path)) {
    reader.fail("body", path.string(), "a .pcd or .ply file");
  }
  config.body = path.string();
}

}  // namespace

VehicleConfig loadVehicle(const std::string& name_or_path) {
  const std::filesystem::path path = resolve("vehicle", name_or_path);
  VehicleConfig config;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    config.declare(reader);
    readBody(reader, config);
    reader.readMap("imu", [&](YamlReader& imu) { readMountedImu(imu, config.imu); });
    reader.optional("magnetometer", config.magnetometer);
    reader.optional("barometer", config.barometer);
    reader.optional("gnss", config.gnss);
  });
  config.validate(path.string());
  return config;
}

VehicleConfig loadMultirotor(const std::string& name_or_path) {
  VehicleConfig config = loadVehicle(name_or_path);
  if (!config.differential_drive) return config;
  throw ConfigError("", "vehicle", "'" + name_or_path + "'", "a multirotor, not one on wheels");
}

}  // namespace marsim::config
