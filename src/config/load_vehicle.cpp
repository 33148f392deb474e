#include "config/names.hpp"
#include "config/sensor_readers.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

using vehicle::VehicleConfig;

void readRotors(YamlReader& reader, VehicleConfig& config) {
  config.rotors.clear();
  reader.requireMaps("rotors", [&](YamlReader& item) {
    auto& rotor = config.rotors.emplace_back();
    item.require("position", rotor.position, Quantity::kLength);
    item.requireWord<int>("spin", rotor.spin, {{"ccw", 1}, {"cw", -1}});
  });
  reader.require("thrust_coefficient", config.thrust_coefficient);
  // Data sheets give either k_M itself or its ratio to k_F, a length.
  if (reader.has("moment_constant")) {
    if (reader.has("torque_coefficient")) {
      reader.fail("moment_constant", "given beside torque_coefficient", "one of the two");
    }
    double ratio = 0.0;
    reader.require("moment_constant", ratio, Quantity::kLength);
    config.torque_coefficient = ratio * config.thrust_coefficient;
  } else {
    reader.require("torque_coefficient", config.torque_coefficient);
  }
  reader.read("rotor_drag_coefficient", config.rotor_drag_coefficient);
}

void readBody(YamlReader& reader, VehicleConfig& config) {
  if (!reader.has("body")) return;
  std::filesystem::path path;
  reader.require("body", path);
  if (!std::filesystem::is_regular_file(path)) {
    reader.fail("body", path.string(), "a .pcd or .ply file");
  }
  config.body = path.string();
}

void readMotor(YamlReader& reader, vehicle::MotorConfig& motor) {
  reader.require("natural_frequency_up", motor.natural_frequency_up, Quantity::kAngularSpeed);
  reader.require("natural_frequency_down", motor.natural_frequency_down, Quantity::kAngularSpeed);
  reader.read("damping", motor.damping);
  reader.read("speed_min", motor.speed_min, Quantity::kAngularSpeed);
  reader.require("speed_max", motor.speed_max, Quantity::kAngularSpeed);
}

void readMore(YamlReader& reader, VehicleConfig& config) {
  reader.read("parasitic_drag", config.parasitic_drag);
  reader.read("rotor_radius", config.rotor_radius, Quantity::kLength);
  reader.read("ground_effect", config.ground_effect);
  reader.readMap("payload", [&](YamlReader& payload) {
    payload.require("mass", config.payload.mass, Quantity::kMass);
    payload.require("position", config.payload.position, Quantity::kLength);
    payload.read("known", config.payload.known);
  });
  reader.readMap("battery", [&](YamlReader& battery) {
    battery.require("sag", config.battery.sag);
    battery.require("duration", config.battery.duration, Quantity::kTime);
  });
}

void readSlowError(YamlReader& reader, const std::string& key, vehicle::SlowError& error,
                   Quantity quantity) {
  reader.readMap(key, [&](YamlReader& process) {
    process.require("sigma", error.sigma, quantity);
    process.require("correlation_time", error.correlation_time, Quantity::kTime);
  });
}

void readMagnetometer(YamlReader& reader, vehicle::MagnetometerConfig& magnetometer) {
  reader.read("rate", magnetometer.rate, Quantity::kFrequency);
  readMounting(reader, magnetometer.X_BM);
  reader.require("field", magnetometer.field_W);
  reader.read("hard_iron", magnetometer.hard_iron);
  reader.read("noise", magnetometer.noise);
}

void readBarometer(YamlReader& reader, vehicle::BarometerConfig& barometer) {
  reader.read("rate", barometer.rate, Quantity::kFrequency);
  reader.read("origin_altitude", barometer.origin_altitude, Quantity::kLength);
  reader.read("sea_level_pressure", barometer.sea_level_pressure);
  readSlowError(reader, "drift", barometer.drift, Quantity::kNumber);
  reader.read("noise", barometer.noise);
}

void readGnss(YamlReader& reader, vehicle::GnssConfig& gnss) {
  reader.read("rate", gnss.rate, Quantity::kFrequency);
  reader.requireMap("origin", [&](YamlReader& origin) {
    origin.require("latitude", gnss.latitude, Quantity::kAngle);
    origin.require("longitude", gnss.longitude, Quantity::kAngle);
    origin.read("altitude", gnss.altitude, Quantity::kLength);
  });
  reader.read("position", gnss.p_BA, Quantity::kLength);
  readSlowError(reader, "horizontal_drift", gnss.horizontal_drift, Quantity::kLength);
  readSlowError(reader, "vertical_drift", gnss.vertical_drift, Quantity::kLength);
  reader.read("horizontal_noise", gnss.horizontal_noise, Quantity::kLength);
  reader.read("vertical_noise", gnss.vertical_noise, Quantity::kLength);
  reader.read("velocity_noise", gnss.velocity_noise, Quantity::kSpeed);
}

/// Reads a sensor that a vehicle has only if its file has the key.
template <class Config, class Read>
void readCarried(YamlReader& reader, const std::string& key, std::optional<Config>& config,
                 Read read) {
  if (!reader.has(key)) return;
  config.emplace();
  reader.requireMap(key, [&](YamlReader& map) { read(map, *config); });
  config->validate(reader.file() + ": " + key);
}

}  // namespace

vehicle::EquippedVehicle loadVehicle(const std::string& name_or_path) {
  const std::filesystem::path path = resolve("vehicle", name_or_path);
  vehicle::EquippedVehicle result;
  VehicleConfig& config = result.vehicle;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    reader.require("name", config.name);
    reader.require("mass", config.mass, Quantity::kMass);
    reader.require("inertia", config.inertia);
    readRotors(reader, config);
    reader.requireMap("motor", [&](YamlReader& motor) { readMotor(motor, config.motor); });
    reader.read("linear_drag", config.linear_drag);
    readMore(reader, config);
    reader.require("radius", config.radius, Quantity::kLength);
    reader.require("ground_clearance", config.ground_clearance, Quantity::kLength);
    reader.read("control_latency", config.control_latency);
    readBody(reader, config);
    reader.readMap("imu", [&](YamlReader& imu) { readMountedImu(imu, result.imu); });
    readCarried(reader, "magnetometer", result.magnetometer, readMagnetometer);
    readCarried(reader, "barometer", result.barometer, readBarometer);
    readCarried(reader, "gnss", result.gnss, readGnss);
  });
  config.validate(path.string());
  result.imu.validate(path.string() + ": imu");
  return result;
}

}  // namespace marsim::config
