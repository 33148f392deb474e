// SPDX-License-Identifier: BSD-3-Clause
#include "config/names.hpp"
#include "config/sensor_readers.hpp"
#include "config/yaml_reader.hpp"
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

vehicle::EquippedVehicle loadVehicle(const std::string& name_or_path) {
  const std::filesystem::path path = resolve("vehicle", name_or_path);
  vehicle::EquippedVehicle result;
  VehicleConfig& config = result.vehicle;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    config.declare(reader);
    readBody(reader, config);
    reader.readMap("imu", [&](YamlReader& imu) { readMountedImu(imu, result.imu); });
    reader.optional("magnetometer", result.magnetometer);
    reader.optional("barometer", result.barometer);
    reader.optional("gnss", result.gnss);
  });
  config.validate(path.string());
  result.imu.validate(path.string() + ": imu");
  if (result.magnetometer) result.magnetometer->validate(path.string() + ": magnetometer");
  if (result.barometer) result.barometer->validate(path.string() + ": barometer");
  if (result.gnss) result.gnss->validate(path.string() + ": gnss");
  return result;
}

}  // namespace marsim::config
