// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include "config/defaults.hpp"
#include "config/launch_words.hpp"
#include "config/scenario.hpp"
#include "config/scenario_readers.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

/// A UAV's vehicle and sensors: the scenario's, or else the defaults of its launch file.
struct Equipment {
  std::string vehicle, imu, lidar;
};

Equipment equipmentOf(const scenario::Scenario& scenario, const std::string& uav) {
  Equipment equipment{argumentOf(scenario, "vehicle"), argumentOf(scenario, "imu"),
                      argumentOf(scenario, "lidar")};
  const auto swarm = scenario.arguments.find("swarm");
  if (swarm == scenario.arguments.end()) return equipment;
  const sim::SwarmConfig config = loadSwarm(swarm->second);
  for (const sim::SwarmMember& member : config.members) {
    if (fmt::format("uav{}", member.id) != uav) continue;
    if (!member.vehicle.empty()) equipment.vehicle = member.vehicle;
    if (!member.lidar.empty()) equipment.lidar = member.lidar;
  }
  return equipment;
}

Pose frameOf(const scenario::Scenario& scenario, const scenario::EstimateCheck& estimate,
             const YamlReader& reader) {
  if (estimate.frame == "base") return {};
  const Equipment equipment = equipmentOf(scenario, estimate.uav);
  vehicle::ImuConfig imu;
  if (estimate.frame == "imu") {
    imu = chooseImu(equipment.imu, loadVehicle(equipment.vehicle).imu, equipment.lidar);
  }
  return chooseFrame(estimate.frame, imu, equipment.lidar, reader.file(),
                     fmt::format("checks.estimates: {}: frame", estimate.topic));
}

}  // namespace

std::string argumentOf(const scenario::Scenario& scenario, const std::string& name) {
  const auto given = scenario.arguments.find(name);
  if (given != scenario.arguments.end()) return given->second;
  // Defaults of one launch file, or of one client.
  if (name == "lidar" && scenario.launchFile() != "sim.launch") return "mid360";
  if (name == "map" && scenario.isSlam()) return "building";
  if (name == "vehicle" && scenario.client == "super") return "uzh_5inch";
  const std::string& client = scenario.client;
  if (name == "imu" && (client == "fast_lio" || client == "point_lio" || client == "dlio" ||
                        client == "fast_livo2")) {
    return "auto";
  }
  return defaultOf(name);
}

void readChecks(YamlReader& reader, scenario::Scenario& scenario) {
  reader.required("checks", scenario.checks);
  for (scenario::EstimateCheck& estimate : scenario.checks.estimates) {
    estimate.X_BF = frameOf(scenario, estimate, reader);
  }
}

}  // namespace marsim::config
