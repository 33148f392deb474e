// SPDX-License-Identifier: BSD-3-Clause
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

void LanUav::declare(Settings& settings) {
  settings.required("id", id, "", {0.0, 65535.0});
  settings.required("position", position, "m");
  settings.optional("yaw", yaw, "rad");
  settings.optional("vehicle", vehicle);
  settings.optional("lidar", lidar);
}

void LanMachine::declare(Settings& settings) {
  settings.required("name", name);
  settings.required("address", address);
  settings.optional("port", port, "", {1024.0, 65534.0});
  settings.required("uavs", uavs);
}

void LanConfig::declare(Settings& settings) {
  settings.optional("sync_rate", sync_rate, "Hz", {0.1, 10.0});
  settings.optional("silence", silence, "s", kPositive);
  settings.optional("key", key);
  settings.required("machines", machines);
  if (settings.isReading() && !machines.empty()) leader = machines.front().name;
  settings.optional("leader", leader);
}

void LanConfig::validate(const std::string& where) const {
  checkSettings(where, *this);
  const Validator check(where);
  std::set<std::string> names;
  std::set<std::pair<std::string, int>> ends;
  for (const LanMachine& machine : machines) {
    const std::string field = fmt::format("machines: {}", machine.name);
    check.require(isRosName(machine.name), "machines: name", fmt::format("'{}'", machine.name),
                  "a letter, then letters, digits and _");
    check.require(names.insert(machine.name).second, field, "there twice", "every name once");
    check.require(ends.insert({machine.address, machine.port}).second, field + ": address",
                  fmt::format("{}, port {}", machine.address, machine.port),
                  "an address or port of its own");
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
      if (is_new) radius->second = loadVehicle(vehicle).radius;
      uavs.push_back({uav.id, uav.position, radius->second});
    }
  }
  sim::requireApart(uavs, where);
}

LanConfig loadLan(const std::string& name_or_path) { return load<LanConfig>("lan", name_or_path); }

}  // namespace marsim::config
