// SPDX-License-Identifier: BSD-3-Clause
#include "tools/dataset/airsim_settings.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
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
constexpr double kLidarUpdates = 10.0;  // [Hz] update_frequency of LidarSimpleParams.hpp
constexpr double kCameraRate = 20.0;    // [Hz] chosen: AirSim takes images on request

bool isSame(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

/// The value of a key in any letter case, null if there is none.
const Json* valueOf(const Json& json, std::string_view key) {
  if (!json.is_object()) return nullptr;
  for (auto it = json.begin(); it != json.end(); ++it) {
    if (isSame(it.key(), key)) return &it.value();
  }
  return nullptr;
}

/// The keys of one sensor, in any letter case.
class Keys {
 public:
  Keys(std::string where, std::string field, const Json& json)
      : where_(std::move(where)), field_(std::move(field)), json_(&json) {}

  double number(const std::string& key, double fallback) {
    const Json* const value = find(key);
    if (value == nullptr) return fallback;
    if (!value->is_number()) fail(key, value->dump(), "a number");
    return value->get<double>();
  }
  double whole(const std::string& key, double fallback, double most) {
    const double value = number(key, fallback);
    if (value >= 1.0 && value <= most && value == std::floor(value)) return value;
    fail(key, fmt::format("{}", value), fmt::format("a whole number from 1 to {:g}", most));
  }
  bool flag(const std::string& key, bool fallback) {
    const Json* const value = find(key);
    if (value == nullptr) return fallback;
    if (!value->is_boolean()) fail(key, value->dump(), "true | false");
    return value->get<bool>();
  }
  const Json* find(const std::string& key) {
    known_.push_back(key);
    return valueOf(*json_, key);
  }
  void passOver(const std::vector<std::string>& keys) {
    known_.insert(known_.end(), keys.begin(), keys.end());
  }
  /// Appends the keys that were never looked for. "//" is a comment.
  void listUnknown(std::vector<std::string>& unknown) const {
    for (const auto& [key, value] : json_->items()) {
      const auto is_it = [&name = key](const std::string& known) { return isSame(known, name); };
      if (key == "//" || std::any_of(known_.begin(), known_.end(), is_it)) continue;
      const std::string near = nearestName(key, known_);
      unknown.push_back(field_ + "." + clipped(key) +
                        (near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
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

/// The pose in the body, whose axes are forward, right, down in the file.
Pose mountingOf(Keys& keys, double usual_z) {
  const double x = keys.number("X", 0.0), y = keys.number("Y", 0.0), z = keys.number("Z", usual_z);
  const double roll = keys.number("Roll", 0.0), pitch = keys.number("Pitch", 0.0),
               yaw = keys.number("Yaw", 0.0);
  return {fromRollPitchYaw(radians(roll), -radians(pitch), -radians(yaw)), {x, -y, -z}};
}

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
  imu.X_BI = mountingOf(keys, 0.0);
  imu.gyroscope.noise_density = radians(turn) / std::sqrt(kSecondsAnHour);
  imu.gyroscope.random_walk = radians(gyro_bias) / kSecondsAnHour / std::sqrt(gyro_tau);
  imu.accelerometer.noise_density = velocity * 1e-3 * kGravity;
  imu.accelerometer.random_walk = force_bias * 1e-6 * kGravity / std::sqrt(force_tau);
  return imu;
}

// Defaults of AirSim's LidarSimpleParams.hpp, which differ for cars. Each update casts the points
// of the time since the last one: all channels at azimuths that advance clockwise by 360
// RotationsPerSecond NumberOfChannels / PointsPerSecond degrees.
lidar::LidarConfig lidarOf(Keys& keys, const std::string& name, bool is_car) {
  constexpr double kMostChannels = 1024.0;
  constexpr double kWholeTurn = 359.0;  // [deg] of 0 to 359, as some write it
  const double channels = keys.whole("NumberOfChannels", 16.0, kMostChannels);
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
  keys.requirePositive("RotationsPerSecond", turns);
  keys.requirePositive("PointsPerSecond", points);
  lidar.rate = kLidarUpdates;
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
  pattern.rotation_rate = -2.0 * kPi * turns;
  for (int i = 0; i < static_cast<int>(channels); ++i) {
    const double share = channels > 1.0 ? i / (channels - 1.0) : 0.0;
    pattern.channels.emplace_back();
    pattern.channels.back().elevation = radians(upper + share * (lower - upper));
  }
  lidar.pattern = pattern;
  return lidar;
}

/// The size and horizontal field of view of a camera's images.
struct Capture {
  double width = 256.0, height = 144.0;  // [px]
  double field_of_view = 90.0;           // [deg]
};

/// Reads the CaptureSettings of ImageType 0 in `json`, a camera or CameraDefaults.
void readCapture(const std::string& where, const std::string& field, const Json* json,
                 Capture& capture, std::vector<std::string>& unknown) {
  constexpr double kMostPixels = 8192.0;
  const Json* const list = json == nullptr ? nullptr : valueOf(*json, "CaptureSettings");
  if (list == nullptr || !list->is_array()) return;
  for (const Json& item : *list) {
    if (!item.is_object()) continue;
    Keys keys(where, field + ".CaptureSettings", item);
    if (keys.number("ImageType", 0.0) != 0.0) continue;
    capture.width = keys.whole("Width", capture.width, kMostPixels);
    capture.height = keys.whole("Height", capture.height, kMostPixels);
    capture.field_of_view = keys.number("FOV_Degrees", capture.field_of_view);
    if (!(capture.field_of_view > 0.0 && capture.field_of_view < 180.0)) {
      keys.fail("FOV_Degrees", fmt::format("{}", capture.field_of_view), "more than 0, below 180");
    }
    keys.listUnknown(unknown);
  }
}

/// The name as a part of a topic's.
std::string topicOf(std::string name) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  std::replace_if(name.begin(), name.end(), std::not_fn(is_word), '_');
  const bool begins = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0;
  return begins ? name : "camera_" + name;
}

// The principal point is half the size, as AirSim's users compute it. Images are without noise.
lidar::CameraConfig cameraOf(Keys& keys, const std::string& name, const Capture& capture) {
  lidar::CameraConfig camera;
  camera.name = topicOf(name);
  camera.model.width = static_cast<int>(capture.width);
  camera.model.height = static_cast<int>(capture.height);
  camera.model.cx = 0.5 * capture.width;
  camera.model.cy = 0.5 * capture.height;
  const double focal = camera.model.cx / std::tan(0.5 * radians(capture.field_of_view));
  camera.model.fx = camera.model.fy = std::round(focal * 1e9) / 1e9;  // 376 at 90 degrees
  camera.X_BC = mountingOf(keys, 0.0);
  camera.X_BC.q = camera.X_BC.q * lidar::opticalRotation();
  camera.full_well = 0.0;
  return camera;
}

/// The parts of a vehicle, null where there are none.
struct VehicleParts {
  const Json *sensors = nullptr, *cameras = nullptr;
};

VehicleParts vehicleIn(const Json& settings, const std::string& where, const std::string& wanted,
                       std::vector<std::string>& notes) {
  VehicleParts found;
  std::string taken;
  std::vector<std::string> names, others;
  if (const Json* const vehicles = valueOf(settings, "Vehicles")) {
    for (const auto& [name, json] : vehicles->items()) {
      if (!json.is_object()) continue;
      names.push_back(name);
      const VehicleParts parts{valueOf(json, "Sensors"), valueOf(json, "Cameras")};
      const bool carries = parts.sensors != nullptr || parts.cameras != nullptr;
      if (taken.empty() && (wanted.empty() ? carries : name == wanted)) {
        taken = name;
        found = parts;
      } else if (carries) {
        others.push_back(name);
      }
    }
  }
  if (!wanted.empty() && taken.empty()) {
    throw UnknownNameError(where, "vehicle (--airsim-vehicle)", wanted, names);
  }
  if (wanted.empty() && !others.empty()) {
    notes.push_back(fmt::format("the sensors of {} are used; --airsim-vehicle takes those of {}",
                                clipped(taken), clipped(join(others, " or "), 200)));
  }
  if (found.sensors == nullptr) found.sensors = valueOf(settings, "DefaultSensors");
  return found;
}

/// Reads one file.
class Reader {
 public:
  Reader(std::string where, const Json& settings) : where_(std::move(where)), settings_(settings) {
    const Json* const mode = valueOf(settings, "SimMode");
    is_car_ = mode != nullptr && mode->is_string() && isSame(mode->get<std::string>(), "Car");
  }

  AirsimSensors read(const std::string& wanted, const vehicle::ImuConfig& base) {
    const VehicleParts vehicle = vehicleIn(settings_, where_, wanted, read_.notes);
    const bool has_sensors = vehicle.sensors != nullptr && vehicle.sensors->is_object();
    const bool has_cameras = vehicle.cameras != nullptr && vehicle.cameras->is_object();
    if (!has_sensors && !has_cameras) {
      throw FileError(where_, "has no Sensors or Cameras of a vehicle and no DefaultSensors");
    }
    if (has_sensors) readSensors(*vehicle.sensors, base);
    if (has_cameras) readCameras(*vehicle.cameras);
    if (!unknown_.empty()) {
      read_.notes.push_back("unknown keys are ignored: " + join(unknown_));
    }
    return std::move(read_);
  }

 private:
  void readSensors(const Json& sensors, const vehicle::ImuConfig& base) {
    for (const auto& [name, sensor] : sensors.items()) {
      if (!sensor.is_object()) continue;
      Keys keys(where_, "Sensors." + name, sensor);
      const double type = keys.number("SensorType", 0.0);
      if (!keys.flag("Enabled", true)) continue;
      if (type == kImu) read_.imu = imuOf(keys, base);
      if (type == kLidar) {
        if (read_.lidar) {
          throw ConfigError(where_, "Sensors." + name, "a second LiDAR", "one that is Enabled");
        }
        read_.lidar = lidarOf(keys, name, is_car_);
      }
      if (type == kImu || type == kLidar) keys.listUnknown(unknown_);
    }
    if (read_.imu) read_.imu->validate(where_);
    if (read_.lidar) read_.lidar->validate(where_);
  }

  void readCameras(const Json& cameras) {
    Capture usual;
    readCapture(where_, "CameraDefaults", valueOf(settings_, "CameraDefaults"), usual, unknown_);
    lidar::CameraRigConfig rig;
    rig.name = "AirSim's cameras";
    rig.rate = kCameraRate;
    for (const auto& [name, json] : cameras.items()) {
      if (!json.is_object()) continue;
      Capture capture = usual;
      Keys keys(where_, "Cameras." + name, json);
      keys.passOver({"CaptureSettings"});
      readCapture(where_, "Cameras." + name, &json, capture, unknown_);
      rig.cameras.push_back(cameraOf(keys, name, capture));
      keys.listUnknown(unknown_);
    }
    if (rig.cameras.empty()) return;
    rig.validate(where_);
    read_.cameras = std::move(rig);
  }

  std::string where_;
  const Json& settings_;
  bool is_car_ = false;
  std::vector<std::string> unknown_;
  AirsimSensors read_;
};

}  // namespace

AirsimSensors loadAirsim(const std::filesystem::path& path, const std::string& vehicle,
                         const vehicle::ImuConfig& base) {
  const std::string where = path.string();
  const Json settings = Json::parse(readFile(path, kLargest), nullptr, false);
  if (settings.is_discarded() || !settings.is_object()) {
    throw FileError(where, "is no JSON object (AirSim's settings.json)");
  }
  return Reader(where, settings).read(vehicle, base);
}

}  // namespace marsim::tools
