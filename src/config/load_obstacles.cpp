// SPDX-License-Identifier: BSD-3-Clause
#include "config/names.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/config/load.hpp"
#include "marsim/sim/body.hpp"

namespace marsim::config {
namespace {

using scene::ObstacleGroup;
using scene::ObstacleKind;

/// Defaults for the groups.
struct Common {
  Eigen::AlignedBox3d region;
  bool has_region = false;
};

void readRegion(YamlReader& reader, Common& common) {
  common.has_region |= reader.has("region");
  reader.readMap("region", [&](YamlReader& region) {
    region.required("min", common.region.min(), "m");
    region.required("max", common.region.max(), "m");
  });
}

ObstacleGroup readGroup(YamlReader& reader, Common common) {
  ObstacleKind kind = ObstacleKind::kSphere;
  reader.required("kind", kind,
                  {{"uav", ObstacleKind::kUav},
                   {"sphere", ObstacleKind::kSphere},
                   {"box", ObstacleKind::kBox},
                   {"walker", ObstacleKind::kWalker},
                   {"waypoints", ObstacleKind::kWaypoints},
                   {"orbit", ObstacleKind::kOrbit},
                   {"driven", ObstacleKind::kDriven},
                   {"fixed", ObstacleKind::kFixed}});
  ObstacleGroup group = scene::usualGroup(kind);
  group.declare(reader);
  if (group.shape == scene::ObstacleShape::kUav) {
    std::string vehicle = "hummingbird";
    reader.optional("vehicle", vehicle);
    group.body = sim::bodyOf(loadVehicle(vehicle));
  }
  if (kind == ObstacleKind::kFixed && !reader.has("position")) {
    reader.fail("position", "missing", "[x, y, z]");
  }
  if (kind == ObstacleKind::kWaypoints || kind == ObstacleKind::kFixed) return group;
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
    reader.optional("seed", config.seed);
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
