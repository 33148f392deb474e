#include "config/names.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

void readMember(YamlReader& reader, sim::SwarmMember& member) {
  if (!reader.has("id")) reader.fail("id", "missing", "a whole number of 0 or more");
  reader.read("id", member.id);
  if (reader.has("position")) {
    reader.require("position", member.position.emplace(), Quantity::kLength);
  }
  if (reader.has("yaw")) reader.require("yaw", member.yaw.emplace(), Quantity::kAngle);
  if (reader.has("vehicle")) reader.require("vehicle", member.vehicle);
  if (reader.has("lidar")) reader.require("lidar", member.lidar);
}

}  // namespace

sim::SwarmConfig loadSwarm(const std::string& name_or_path) {
  const std::filesystem::path path = resolve("swarm", name_or_path);
  sim::SwarmConfig config;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    using sim::Facing;
    using sim::Formation;
    reader.requireWord<Formation>("formation", config.formation,
                                  {{"line", Formation::kLine},
                                   {"grid", Formation::kGrid},
                                   {"circle", Formation::kCircle},
                                   {"rings", Formation::kRings},
                                   {"poses", Formation::kPoses}});
    if (config.formation != Formation::kPoses) {
      reader.read("origin", config.origin, Quantity::kLength);
      reader.read("spacing", config.spacing, Quantity::kLength);
      reader.readWord<Facing>(
          "facing", config.facing,
          {{"along", Facing::kAlong}, {"outward", Facing::kOutward}, {"inward", Facing::kInward}});
    }
    reader.read("yaw", config.yaw, Quantity::kAngle);
    if (config.formation == Formation::kCircle) {
      reader.read("radius", config.radius, Quantity::kLength);
    }
    if (config.formation == Formation::kPoses || reader.has("uavs")) {
      reader.requireMaps("uavs",
                         [&](YamlReader& uav) { readMember(uav, config.members.emplace_back()); });
    }
  });
  config.validate(path.string());
  return config;
}

}  // namespace marsim::config
