// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "common/text.hpp"
#include "config/places.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/scene/places.hpp"
#include "tools/process/command_line.hpp"

namespace {

using namespace marsim::tools;  // NOLINT: this program is theirs
using marsim::Quantity;
using marsim::scene::BuildingConfig;
using marsim::scene::ForestConfig;
using marsim::scene::kRangeNoises;
using marsim::scene::kSpacings;

/// Adds lengths [m] to a subcommand.
auto adderTo(CommandLine& line) {
  return [&line](const char* name, double& value, const marsim::Bounds& bounds, const char* text) {
    line.option(name, value, number(Quantity::kLength, bounds), text);
  };
}

void addForestOptions(CommandLine& line, ForestConfig& config) {
  using Config = ForestConfig;
  const auto add = adderTo(line);
  addSeed(line, config.seed, "another seed, another wood");
  add("--size-x", config.size_x, Config::kSizes, "extent along x [m]");
  add("--size-y", config.size_y, Config::kSizes, "extent along y [m]");
  line.option("--trees", config.trees_per_100_m2, number(Quantity::kNumber, Config::kTrees),
              "trees on 100 m^2");
  add("--tree-spacing", config.min_tree_spacing, Config::kTreeSpacings,
      "least distance of trunk axes [m]");
  add("--tree-height", config.tree_height, Config::kTreeHeights, "mean [m]");
  add("--trunk-radius", config.trunk_radius, Config::kTrunkRadii, "mean, at breast height [m]");
  add("--relief", config.ground_relief, Config::kReliefs, "of the ground, peak to peak [m]");
  add("--roughness", config.ground_roughness, Config::kRoughnesses,
      "of the ground, standard deviation [m]");
  add("--clearing", config.clearing_radius, Config::kClearings,
      "radius without trees at the origin [m]");
  add("--surroundings", config.surroundings, Config::kSurroundings,
      "wood and bank beyond the extent [m]");
  add("--spacing", config.spacing, kSpacings, "distance of neighbouring points [m]");
  add("--noise", config.range_noise, kRangeNoises, "standard deviation off the surface [m]");
}

void addBuildingOptions(CommandLine& line, BuildingConfig& config) {
  using Config = BuildingConfig;
  const auto add = adderTo(line);
  addSeed(line, config.seed, "of the points' noise");
  add("--room-length", config.room_length, Config::kRooms, "along x, each room [m]");
  add("--room-width", config.room_width, Config::kRooms, "along y [m]");
  add("--height", config.height, Config::kHeights, "clear height [m]");
  add("--wall", config.wall_thickness, Config::kWalls, "thickness of walls [m]");
  add("--door-width", config.door_width, Config::kDoorWidths, "[m]");
  add("--door-height", config.door_height, Config::kDoorHeights, "[m]");
  add("--spacing", config.spacing, kSpacings, "distance of neighbouring points [m]");
  add("--noise", config.range_noise, kRangeNoises, "standard deviation off the surface [m]");
}

int save(const marsim::map::PointCloud& cloud, const std::string& path) {
  marsim::map::saveCloud(path, cloud);
  fmt::print("{}: {} points\n", path, marsim::withThousands(cloud.size()));
  return 0;
}

// A place described by a YAML file is made once and cached; the result is a copy. With a given
// spacing it is made for this call.
int copyMade(const std::string& config_path, std::optional<double> spacing,
             const std::string& path) {
  if (spacing) return save(marsim::config::makePlaceAt(config_path, *spacing), path);
  marsim::Progress progress("place");
  return save(marsim::map::loadCloud(marsim::config::resolveMap(config_path), progress).cloud,
              path);
}

}  // namespace

int main(int argc, char** argv) {
  ForestConfig forest;
  BuildingConfig building;
  std::string path;
  CommandLine line(
      "Writes a generated place as PCD or PLY; the same for the same options on every machine.\n"
      "marsim place forest --help and marsim place building --help list their options;\n"
      "marsim place file FILE.yaml takes them from a file.",
      "marsim place");
  line.requireSubcommand();
  CommandLine forest_line = line.subcommand("forest", "a wood on rolling ground");
  CommandLine building_line = line.subcommand("building", "two rooms joined by a door");
  CommandLine file_line = line.subcommand("file", "a place described by a YAML file");
  std::string config_path;
  std::optional<double> spacing;
  file_line.option("config", config_path, kInput, "YAML file, as those in maps/").required();
  file_line.option("--spacing", spacing, number(Quantity::kLength, kSpacings),
                   "distance of neighbouring points [m]; the file's without it");
  for (CommandLine sub : {forest_line, building_line, file_line}) {
    sub.option("--out", path, kOutput, "PCD or PLY file to write").required();
  }
  addForestOptions(forest_line, forest);
  addBuildingOptions(building_line, building);
  return line.run(argc, argv, [&] {
    marsim::requireExtension(path, marsim::map::cloudFormats());
    marsim::requireWritable(path);
    if (file_line.isGiven()) return copyMade(config_path, spacing, path);
    if (forest_line.isGiven()) {
      forest.validate("command line");
      return save(marsim::scene::makeForest(forest), path);
    }
    building.validate("command line");
    return save(marsim::scene::makeBuilding(building), path);
  });
}
