#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "config/lan.hpp"
#include "config/names.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

constexpr int kLargestId = 65535;

LanUav readUav(YamlReader& reader) {
  LanUav uav;
  if (!reader.has("id")) reader.fail("id", "missing", "a whole number of 0 or more");
  reader.read("id", uav.id);
  reader.require("position", uav.position, Quantity::kLength);
  reader.read("yaw", uav.yaw, Quantity::kAngle);
  if (reader.has("vehicle")) reader.require("vehicle", uav.vehicle);
  if (reader.has("lidar")) reader.require("lidar", uav.lidar);
  return uav;
}

void requireNumbersOnce(const LanConfig& config, const Validator& check) {
  std::map<int, std::string> homes;
  for (const LanMachine& machine : config.machines) {
    for (const LanUav& uav : machine.uavs) {
      const auto [home, is_new] = homes.try_emplace(uav.id, machine.name);
      check.require(is_new, fmt::format("machines: uav {} of {}", uav.id, machine.name),
                    fmt::format("also one of {}", home->second), "every number once");
    }
  }
}

}  // namespace

void LanConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.within("sync_rate", sync_rate, 0.1, 10.0, "Hz");
  check.positive("silence", silence, "s");
  std::set<std::string> names;
  std::set<std::pair<std::string, int>> ends;
  for (const LanMachine& machine : machines) {
    const std::string field = fmt::format("machines: {}", machine.name);
    check.require(isRosName(machine.name), "machines: name", fmt::format("'{}'", machine.name),
                  "a letter, then letters, digits and _");
    check.require(names.insert(machine.name).second, field, "there twice", "every name once");
    check.within(field + ": port", machine.port, 1024, 65534);
    check.require(ends.insert({machine.address, machine.port}).second, field + ": address",
                  fmt::format("{}, port {}", machine.address, machine.port),
                  "an address or port of its own");
    for (const LanUav& uav : machine.uavs) {
      check.within(field + ": id", uav.id, 0, kLargestId);
      check.require(uav.position.allFinite(), field + ": position", "not finite", "a place [m]");
    }
  }
  check.require(names.count(leader) == 1, "leader", fmt::format("'{}'", leader),
                "the name of one of the machines");
  requireNumbersOnce(*this, check);
}

const LanMachine& LanConfig::machine(const std::string& name, const std::string& where) const {
  std::vector<std::string> known;
  for (const LanMachine& machine : machines) {
    if (machine.name == name) return machine;
    known.push_back(machine.name);
  }
  throw UnknownNameError(where, "machine", name, known);
}

std::string LanConfig::summary() const {
  std::string text = "leader " + leader;
  for (const LanMachine& machine : machines) {
    text += fmt::format("\n{} {}:{}", machine.name, machine.address, machine.port);
    for (const LanUav& uav : machine.uavs) {
      const Eigen::Vector3d& p = uav.position;
      text += fmt::format("\n {} ({} {} {}) {} '{}' '{}'", uav.id, p.x(), p.y(), p.z(), uav.yaw,
                          uav.vehicle, uav.lidar);
    }
  }
  return text;
}

HmacKey LanConfig::readKey() const { return key.empty() ? HmacKey() : HmacKey::read(key); }

void requireApart(const LanConfig& config, const std::string& usual_vehicle,
                  const std::string& where) {
  std::map<std::string, double> radii;  // by vehicle
  std::vector<sim::StartingUav> uavs;
  for (const LanMachine& machine : config.machines) {
    for (const LanUav& uav : machine.uavs) {
      const std::string& vehicle = uav.vehicle.empty() ? usual_vehicle : uav.vehicle;
      const auto [radius, is_new] = radii.try_emplace(vehicle, 0.0);
      if (is_new) radius->second = loadVehicle(vehicle).vehicle.radius;
      uavs.push_back({uav.id, uav.position, radius->second});
    }
  }
  sim::requireApart(uavs, where);
}

LanConfig loadLan(const std::string& name_or_path) {
  const std::filesystem::path path = resolve("lan", name_or_path);
  LanConfig config;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    reader.read("sync_rate", config.sync_rate, Quantity::kFrequency);
    reader.read("silence", config.silence, Quantity::kTime);
    if (reader.has("key")) reader.require("key", config.key);
    reader.requireMaps("machines", [&](YamlReader& item) {
      LanMachine machine;
      item.require("name", machine.name);
      item.require("address", machine.address);
      item.read("port", machine.port);
      item.requireMaps("uavs", [&](YamlReader& uav) { machine.uavs.push_back(readUav(uav)); });
      config.machines.push_back(std::move(machine));
    });
    if (reader.has("leader")) {
      reader.require("leader", config.leader);
    } else {
      config.leader = config.machines.front().name;
    }
  });
  config.validate(path.string());
  return config;
}

}  // namespace marsim::config
