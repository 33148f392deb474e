#include <utility>

#include <fmt/format.h>

#include "config/scenario_readers.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

/// What flies: as the scenario says, or else as its launch file does by default.
struct Equipment {
  std::string vehicle, imu, lidar;
};

Equipment equipmentOf(const scenario::Scenario& scenario, const std::string& uav) {
  const std::string& client = scenario.client;
  const bool is_sim = client.empty() && scenario.uavs == 1;
  Equipment equipment{client == "super" ? "uzh_5inch" : "hummingbird",
                      client == "fast_lio" ? "auto" : "vehicle", is_sim ? "avia" : "mid360"};
  for (const auto& [key, value] : {std::pair{"vehicle", &equipment.vehicle},
                                   {"imu", &equipment.imu},
                                   {"lidar", &equipment.lidar}}) {
    const auto said = scenario.arguments.find(key);
    if (said != scenario.arguments.end()) *value = said->second;
  }
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

void readChecks(YamlReader& reader, scenario::Scenario& scenario) {
  reader.required("checks", scenario.checks);
  for (scenario::EstimateCheck& estimate : scenario.checks.estimates) {
    estimate.X_BF = frameOf(scenario, estimate, reader);
  }
}

}  // namespace marsim::config
