
#include "config/names.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/semantic_class.hpp"
#include "marsim/sim/body.hpp"

namespace marsim::config {
namespace {

using scene::ObstacleGroup;
using scene::ObstacleKind;
using scene::ObstacleShape;

/// Defaults for the groups.
struct Common {
  Eigen::AlignedBox3d region;
  bool has_region = false;
};

void readRegion(YamlReader& reader, Common& common) {
  common.has_region |= reader.has("region");
  reader.readMap("region", [&](YamlReader& region) {
    region.require("min", common.region.min(), Quantity::kLength);
    region.require("max", common.region.max(), Quantity::kLength);
  });
}

void readShape(YamlReader& reader, ObstacleGroup& group) {
  reader.readWord<ObstacleShape>("shape", group.shape,
                                 {{"uav", ObstacleShape::kUav},
                                  {"sphere", ObstacleShape::kSphere},
                                  {"box", ObstacleShape::kBox},
                                  {"capsule", ObstacleShape::kCapsule},
                                  {"person", ObstacleShape::kPerson}});
  reader.read("resolution", group.resolution, Quantity::kLength);
  if (reader.has("reflectivity")) reader.require("reflectivity", group.reflectivity.emplace());
  if (reader.has("class")) {
    reader.requireWord("class", group.semantic_class.emplace(), map::semantic::names());
  }
  if (group.shape == ObstacleShape::kUav) {
    std::string vehicle = "hummingbird";
    if (reader.has("vehicle")) reader.require("vehicle", vehicle);
    group.body = sim::bodyOf(loadVehicle(vehicle).vehicle);
    return;
  }
  reader.readInterval("size", group.size_min, group.size_max, Quantity::kLength);
  if (group.shape == ObstacleShape::kCapsule || group.shape == ObstacleShape::kPerson) {
    reader.read("width", group.width_ratio);
  }
}

// Reads the keys that only obstacles of the group's kind have.
void readMotion(YamlReader& reader, ObstacleGroup& group) {
  if (group.kind != ObstacleKind::kDriven) {
    reader.readInterval("speed", group.speed_min, group.speed_max, Quantity::kSpeed);
  }
  switch (group.kind) {
    case ObstacleKind::kBox:
      reader.readInterval("turn", group.turn_min, group.turn_max, Quantity::kTime);
      break;
    case ObstacleKind::kOrbit:
      reader.readInterval("radius", group.orbit_min, group.orbit_max, Quantity::kLength);
      break;
    case ObstacleKind::kWaypoints:
      reader.requirePoints("points", group.points, Quantity::kLength);
      reader.readWord<bool>("path", group.loop, {{"loop", true}, {"back_and_forth", false}});
      break;
    case ObstacleKind::kDriven:
      if (reader.has("starts")) reader.requirePoints("starts", group.points, Quantity::kLength);
      break;
    default:
      break;
  }
}

ObstacleGroup readGroup(YamlReader& reader, Common common) {
  ObstacleKind kind = ObstacleKind::kSphere;
  reader.requireWord<ObstacleKind>("kind", kind,
                                   {{"uav", ObstacleKind::kUav},
                                    {"sphere", ObstacleKind::kSphere},
                                    {"box", ObstacleKind::kBox},
                                    {"walker", ObstacleKind::kWalker},
                                    {"waypoints", ObstacleKind::kWaypoints},
                                    {"orbit", ObstacleKind::kOrbit},
                                    {"driven", ObstacleKind::kDriven}});
  ObstacleGroup group = scene::usualGroup(kind);
  reader.require("name", group.name);
  reader.read("number", group.number);
  readShape(reader, group);
  readMotion(reader, group);
  if (kind == ObstacleKind::kWaypoints) return group;
  readRegion(reader, common);
  if (!common.has_region) {
    reader.fail("region", "missing", "a region of the group's own or one for all groups");
  }
  group.region = common.region;
  return group;
}

}  // namespace

scene::ObstaclesConfig readObstacles(const std::string& text, const std::string& name) {
  scene::ObstaclesConfig config;
  YamlReader::readText(name, text, [&](YamlReader& reader) {
    reader.read("seed", config.seed);
    Common common;
    readRegion(reader, common);
    reader.requireMaps(
        "groups", [&](YamlReader& group) { config.groups.push_back(readGroup(group, common)); });
  });
  config.validate(name);
  return config;
}

scene::ObstaclesConfig loadObstacles(const std::string& name_or_path) {
  return readObstacles(settingsText("obstacles", name_or_path),
                       resolve("obstacles", name_or_path).string());
}

}  // namespace marsim::config
