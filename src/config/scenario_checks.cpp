#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "config/defaults.hpp"
#include "config/scenario.hpp"
#include "config/scenario_readers.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

using scenario::Limit;

void readBounds(YamlReader& reader, Limit& limit, Quantity quantity) {
  if (reader.has("at_least")) reader.require("at_least", limit.at_least.emplace(), quantity);
  if (reader.has("at_most")) reader.require("at_most", limit.at_most.emplace(), quantity);
}

void readLimit(YamlReader& reader, const std::string& key, Limit& limit, Quantity quantity) {
  if (!reader.has(key)) return;
  reader.requireMap(key, [&](YamlReader& map) { readBounds(map, limit, quantity); });
  if (!limit.at_least && !limit.at_most) {
    reader.fail(key, "without a limit", "at_least, at_most or both");
  }
}

void readLimit(YamlReader& reader, const std::string& key, std::optional<Limit>& limit,
               Quantity quantity) {
  if (reader.has(key)) readLimit(reader, key, limit.emplace(), quantity);
}

void readTime(YamlReader& reader, const std::string& key, TimeNs& value) {
  double seconds = toSeconds(value);
  reader.read(key, seconds, Quantity::kTime);
  constexpr double kLongest = 1e6;  // [s]
  if (!(std::abs(seconds) <= kLongest)) {
    reader.fail(key, fmt::format("{:g}", seconds), fmt::format("at most {:g} s", kLongest));
  }
  value = toNs(seconds);
}

// Reads a map or a list of maps.
void readOneOrMore(YamlReader& reader, const std::string& key, const YamlReader::ReadMap& read) {
  if (!reader.has(key)) return;
  if (reader.isList(key)) {
    reader.requireMaps(key, read);
  } else {
    reader.requireMap(key, read);
  }
}

scenario::EndCheck readEnd(YamlReader& reader) {
  scenario::EndCheck end;
  if (reader.has("uav")) reader.require("uav", end.uav);
  reader.require("position", end.position, Quantity::kLength);
  reader.read("within", end.within, Quantity::kLength);
  readLimit(reader, "speed", end.speed, Quantity::kSpeed);
  return end;
}

scenario::RateCheck readRate(YamlReader& reader) {
  scenario::RateCheck rate;
  reader.require("topic", rate.topic);
  reader.require("rate", rate.rate, Quantity::kFrequency);
  reader.read("tolerance", rate.tolerance);
  reader.read("worst_gap", rate.worst_gap);
  return rate;
}

scenario::CoverageCheck readCoverage(YamlReader& reader) {
  scenario::CoverageCheck coverage;
  if (reader.has("uav")) reader.require("uav", coverage.uav);
  reader.read("voxel", coverage.voxel, Quantity::kLength);
  reader.readMap("region", [&](YamlReader& region) {
    region.require("min", coverage.min, Quantity::kLength);
    region.require("max", coverage.max, Quantity::kLength);
  });
  readBounds(reader, coverage.share, Quantity::kNumber);
  if (!coverage.share.at_least && !coverage.share.at_most) {
    reader.fail("at_least", "missing", "at_least, at_most or both");
  }
  return coverage;
}

/// Vehicle and sensors of a UAV.
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

scenario::EstimateCheck readEstimate(YamlReader& reader, const scenario::Scenario& scenario) {
  scenario::EstimateCheck estimate;
  reader.require("topic", estimate.topic);
  if (reader.has("uav")) reader.require("uav", estimate.uav);
  if (reader.has("frame")) reader.require("frame", estimate.frame);
  readTime(reader, "offset", estimate.offset);
  reader.read("align", estimate.align);
  readLimit(reader, "ate", estimate.ate, Quantity::kLength);
  readLimit(reader, "rpe", estimate.rpe, Quantity::kLength);
  readLimit(reader, "rpe_angle", estimate.rpe_angle, Quantity::kAngle);
  readTime(reader, "rpe_delta", estimate.rpe_delta);
  readLimit(reader, "completeness", estimate.completeness, Quantity::kNumber);
  const bool any = reader.has("ate") || reader.has("rpe") || reader.has("rpe_angle") ||
                   reader.has("completeness");
  if (!any) {
    reader.fail("ate", "missing", "one of ate, rpe, rpe_angle and completeness, or more of them");
  }
  estimate.X_BF = frameOf(scenario, estimate, reader);
  return estimate;
}

}  // namespace

std::string argumentOf(const scenario::Scenario& scenario, const std::string& name) {
  const auto given = scenario.arguments.find(name);
  if (given != scenario.arguments.end()) return given->second;
  // Defaults of one launch file, or of one client.
  if (name == "lidar" && scenario.launchFile() != "sim.launch") return "mid360";
  if (name == "map" && scenario.isSlam()) return "building";
  if (name == "vehicle" && scenario.client == "super") return "uzh_5inch";
  if (name == "imu" && scenario.client == "fast_lio") return "auto";
  return defaultOf(name);
}

void readChecks(YamlReader& reader, scenario::Scenario& scenario) {
  scenario::Checks& checks = scenario.checks;
  reader.requireMap("checks", [&](YamlReader& map) {
    map.readMap("goals", [&](YamlReader& goals) {
      goals.require("within", checks.goals_within.emplace(), Quantity::kTime);
    });
    readLimit(map, "clearance", checks.clearance, Quantity::kLength);
    readLimit(map, "contacts", checks.contacts, Quantity::kNumber);
    readLimit(map, "tracking_rms", checks.tracking_rms, Quantity::kLength);
    readLimit(map, "tracking_max", checks.tracking_max, Quantity::kLength);
    readLimit(map, "max_speed", checks.max_speed, Quantity::kSpeed);
    readLimit(map, "real_time_factor", checks.real_time_factor, Quantity::kNumber);
    readOneOrMore(map, "end", [&](YamlReader& end) { checks.end.push_back(readEnd(end)); });
    readOneOrMore(map, "rates", [&](YamlReader& rate) { checks.rates.push_back(readRate(rate)); });
    readOneOrMore(map, "estimates", [&](YamlReader& estimate) {
      checks.estimates.push_back(readEstimate(estimate, scenario));
    });
    readOneOrMore(map, "coverage",
                  [&](YamlReader& coverage) { checks.coverage.push_back(readCoverage(coverage)); });
  });
}

}  // namespace marsim::config
