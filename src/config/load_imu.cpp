#include <algorithm>

#include <fmt/format.h>

#include "config/names.hpp"
#include "config/sensor_readers.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

using vehicle::ImuConfig;
using vehicle::InertialErrors;

void readErrors(YamlReader& reader, InertialErrors& errors) {
  reader.read("noise_density", errors.noise_density);
  reader.read("random_walk", errors.random_walk);
  reader.readMap("gauss_markov", [&](YamlReader& process) {
    process.require("sigma", errors.gauss_markov_sigma);
    process.require("correlation_time", errors.gauss_markov_time, Quantity::kTime);
  });
  reader.read("turn_on_bias", errors.turn_on_bias);
  reader.read("scale", errors.scale);
  reader.read("misalignment", errors.misalignment, Quantity::kAngle);
  reader.read("range", errors.range);
  reader.read("resolution", errors.resolution);
}

void readModel(YamlReader& reader, ImuConfig& imu) {
  reader.read("rate", imu.rate, Quantity::kFrequency);
  readMounting(reader, imu.X_BI);
  reader.readMap("gyroscope", [&](YamlReader& gyroscope) {
    readErrors(gyroscope, imu.gyroscope);
    gyroscope.read("g_sensitivity", imu.gyroscope.g_sensitivity);
  });
  reader.readMap("accelerometer",
                 [&](YamlReader& accelerometer) { readErrors(accelerometer, imu.accelerometer); });
  reader.read("orientation_noise", imu.orientation_noise, Quantity::kAngle);
}

}  // namespace

void readMounting(YamlReader& reader, Pose& X_BS) {
  reader.read("position", X_BS.p, Quantity::kLength);
  if (!reader.has("rpy")) return;
  Eigen::Vector3d rpy = Eigen::Vector3d::Zero();
  reader.read("rpy", rpy, Quantity::kAngle);
  X_BS.q = fromRollPitchYaw(rpy.x(), rpy.y(), rpy.z());
}

void readMountedImu(YamlReader& reader, ImuConfig& imu) {
  if (reader.has("model")) {
    std::string model;
    reader.require("model", model);
    const std::vector<std::string> known = knownNames("imu");
    if (!isYamlPath(model) && std::find(known.begin(), known.end(), model) == known.end()) {
      reader.fail("model", fmt::format("'{}'", model),
                  fmt::format("a path, {}", fmt::join(known, ", ")));
    }
    imu = loadImu(model);
  }
  readModel(reader, imu);
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
    reader.require("name", name);
    readModel(reader, config);
  });
  config.validate(path.string());
  return config;
}

}  // namespace marsim::config
