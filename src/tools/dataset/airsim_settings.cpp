// SPDX-License-Identifier: BSD-3-Clause
#include "tools/dataset/airsim_settings.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/input_file.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargest = 1U << 24U;  // bytes
constexpr int kImu = 2, kLidar = 6;          // SensorType
constexpr double kSecondsAnHour = 3600.0;

/// The keys of one sensor; keys that were never read are errors.
class Keys {
 public:
  Keys(std::string where, std::string field, const Json& json)
      : where_(std::move(where)), field_(std::move(field)), json_(&json) {}

  double number(const std::string& key, double fallback) {
    known_.push_back(key);
    const auto found = json_->find(key);
    if (found == json_->end()) return fallback;
    if (!found->is_number()) fail(key, found->dump(), "a number");
    return found->get<double>();
  }
  bool flag(const std::string& key, bool fallback) {
    known_.push_back(key);
    const auto found = json_->find(key);
    if (found == json_->end()) return fallback;
    if (!found->is_boolean()) fail(key, found->dump(), "true | false");
    return found->get<bool>();
  }
  void passOver(const std::vector<std::string>& keys) {
    known_.insert(known_.end(), keys.begin(), keys.end());
  }
  void requireKnown() const {
    for (const auto& [key, value] : json_->items()) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      throw UnknownNameError(where_, "key of " + field_, key, known_);
    }
  }
  void requirePositive(const std::string& key, double value) const {
    if (!(value > 0.0 && std::isfinite(value))) fail(key, fmt::format("{}", value), "more than 0");
  }
  [[noreturn]] void fail(const std::string& key, const std::string& value,
                         const std::string& allowed) const {
    throw ConfigError(where_, field_ + "." + key, clipped(value), allowed);
  }

 private:
  std::string where_, field_;
  const Json* json_;
  std::vector<std::string> known_;
};

/// In AirSim the bias takes steps of stability / sqrt(tau) sqrt(dt) and does not decay.
vehicle::ImuConfig imuOf(Keys& keys, const vehicle::ImuConfig& base) {
  const double turn = keys.number("AngularRandomWalk", 0.3);             // [deg/sqrt(h)]
  const double gyro_bias = keys.number("GyroBiasStability", 4.6);        // [deg/h]
  const double gyro_tau = keys.number("GyroBiasStabilityTau", 500.0);    // [s]
  const double velocity = keys.number("VelocityRandomWalk", 0.24);       // [mg/sqrt(Hz)]
  const double force_bias = keys.number("AccelBiasStability", 36.0);     // [ug]
  const double force_tau = keys.number("AccelBiasStabilityTau", 800.0);  // [s]
  keys.requirePositive("GyroBiasStabilityTau", gyro_tau);
  keys.requirePositive("AccelBiasStabilityTau", force_tau);
  vehicle::ImuConfig imu;
  imu.rate = base.rate;
  imu.X_BI = base.X_BI;
  imu.gyroscope.noise_density = radians(turn) / std::sqrt(kSecondsAnHour);
  imu.gyroscope.random_walk = radians(gyro_bias) / kSecondsAnHour / std::sqrt(gyro_tau);
  imu.accelerometer.noise_density = velocity * 1e-3 * kGravity;
  imu.accelerometer.random_walk = force_bias * 1e-6 * kGravity / std::sqrt(force_tau);
  return imu;
}

Pose mountingOf(Keys& keys, double usual_z) {
  const double x = keys.number("X", 0.0), y = keys.number("Y", 0.0), z = keys.number("Z", usual_z);
  const double roll = keys.number("Roll", 0.0), pitch = keys.number("Pitch", 0.0),
               yaw = keys.number("Yaw", 0.0);
  return {fromRollPitchYaw(radians(roll), -radians(pitch), -radians(yaw)), {x, -y, -z}};
}

// Defaults of AirSim's LidarSimpleParams.hpp, which differ for cars.
lidar::LidarConfig lidarOf(Keys& keys, const std::string& name, bool is_car) {
  constexpr double kMostChannels = 1024.0;
  constexpr double kWholeTurn = 359.0;  // [deg] of 0 to 359, as some write it
  const double channels = keys.number("NumberOfChannels", 16.0);
  const double turns = keys.number("RotationsPerSecond", 10.0);
  const double points = keys.number("PointsPerSecond", 100'000.0);
  const double upper = keys.number("VerticalFOVUpper", is_car ? 10.0 : -15.0);   // [deg]
  const double lower = keys.number("VerticalFOVLower", is_car ? -10.0 : -45.0);  // [deg]
  const double start = keys.number("HorizontalFOVStart", 0.0);  // [deg] to the right
  const double end = keys.number("HorizontalFOVEnd", 359.0);    // [deg]
  lidar::LidarConfig lidar;
  lidar.name = "AirSim's " + name;
  lidar.range_max = keys.number("Range", 100.0);
  lidar.X_BS = mountingOf(keys, is_car ? -1.0 : 0.0);
  keys.passOver({"DrawDebugPoints", "DataFrame", "ExternalController"});
  if (!(channels >= 1.0 && channels <= kMostChannels && channels == std::floor(channels))) {
    keys.fail("NumberOfChannels", fmt::format("{}", channels), "a whole number from 1 to 1024");
  }
  keys.requirePositive("RotationsPerSecond", turns);
  keys.requirePositive("PointsPerSecond", points);
  lidar.rate = turns;
  if (end - start < kWholeTurn) {
    if (!(start >= -180.0 && start < end && end <= 180.0)) {
      keys.fail("HorizontalFOVEnd", fmt::format("{}", end),
                "more than HorizontalFOVStart, up to 180; both from -180 on, or a whole turn");
    }
    lidar.azimuth_min = -radians(end);
    lidar.azimuth_max = -radians(start);
  }
  lidar::SpinningPatternConfig pattern;
  pattern.cycle_period = channels / points;
  pattern.rotation_rate = 2.0 * radians(180.0) * turns;
  for (int i = 0; i < static_cast<int>(channels); ++i) {
    const double share = channels > 1.0 ? i / (channels - 1.0) : 0.0;
    pattern.channels.emplace_back();
    pattern.channels.back().elevation = radians(upper + share * (lower - upper));
  }
  lidar.pattern = pattern;
  return lidar;
}

/// The map of sensors of the first vehicle that has one.
const Json* sensorsIn(const Json& settings) {
  const auto vehicles = settings.find("Vehicles");
  if (vehicles != settings.end() && vehicles->is_object()) {
    for (const auto& [name, vehicle] : vehicles->items()) {
      if (vehicle.is_object() && vehicle.contains("Sensors")) return &vehicle["Sensors"];
    }
  }
  const auto defaults = settings.find("DefaultSensors");
  return defaults == settings.end() ? nullptr : &*defaults;
}

}  // namespace

AirsimSensors loadAirsim(const std::filesystem::path& path, const vehicle::ImuConfig& base) {
  const std::string where = path.string();
  const Json settings = Json::parse(readFile(path, kLargest), nullptr, false);
  if (settings.is_discarded() || !settings.is_object()) {
    throw FileError(where, "is no JSON object (AirSim's settings.json)");
  }
  const Json* const sensors = sensorsIn(settings);
  if (sensors == nullptr || !sensors->is_object()) {
    throw FileError(where, "has no Sensors of a vehicle and no DefaultSensors");
  }
  const auto mode = settings.find("SimMode");
  const bool is_car = mode != settings.end() && *mode == "Car";
  AirsimSensors read;
  for (const auto& [name, sensor] : sensors->items()) {
    if (!sensor.is_object()) continue;
    Keys keys(where, "Sensors." + name, sensor);
    const double type = keys.number("SensorType", 0.0);
    if (!keys.flag("Enabled", true)) continue;
    if (type == kImu) read.imu = imuOf(keys, base);
    if (type == kLidar) {
      if (read.lidar) {
        throw ConfigError(where, "Sensors." + name, "a second LiDAR", "one that is Enabled");
      }
      read.lidar = lidarOf(keys, name, is_car);
    }
    if (type == kImu || type == kLidar) keys.requireKnown();
  }
  if (read.imu) read.imu->validate(where);
  if (read.lidar) read.lidar->validate(where);
  return read;
}

}  // namespace marsim::tools
