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

using marsim::Quantity;
using marsim::scene::BuildingConfig;
using marsim::scene::ForestConfig;
using marsim::scene::kRangeNoises;
using marsim::scene::kSpacings;

/// Adds lengths [m] to a subcommand.
auto adderTo(CLI::App& app) {
  return [&app](const char* name, double& value, const marsim::Bounds& bounds, const char* text) {
    app.add_option(name, value, text)->transform(marsim::tools::number(Quantity::kLength, bounds));
  };
}

void addForestOptions(CLI::App& app, ForestConfig& config) {
  using Config = ForestConfig;
  const auto add = adderTo(app);
  marsim::tools::addSeed(app, config.seed, "another seed, another wood");
  add("--size-x", config.size_x, Config::kSizes, "extent along x [m]");
  add("--size-y", config.size_y, Config::kSizes, "extent along y [m]");
  app.add_option("--trees", config.trees_per_100_m2, "trees on 100 m^2")
      ->transform(marsim::tools::number(Quantity::kNumber, Config::kTrees));
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

void addBuildingOptions(CLI::App& app, BuildingConfig& config) {
  using Config = BuildingConfig;
  const auto add = adderTo(app);
  marsim::tools::addSeed(app, config.seed, "of the points' noise");
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
  CLI::App app(
      "Writes a generated place as PCD or PLY; the same for the same options on every machine.\n"
      "marsim place forest --help and marsim place building --help list their options;\n"
      "marsim place file FILE.yaml takes them from a file.",
      "marsim place");
  app.require_subcommand(1);
  app.option_defaults()->always_capture_default();
  CLI::App* forest_app = app.add_subcommand("forest", "a wood on rolling ground");
  CLI::App* building_app = app.add_subcommand("building", "two rooms joined by a door");
  CLI::App* file_app = app.add_subcommand("file", "a place described by a YAML file");
  std::string config_path;
  std::optional<double> spacing;
  file_app->add_option("config", config_path, "YAML file, as those in maps/")
      ->required()
      ->type_name(marsim::tools::kInput);
  file_app
      ->add_option("--spacing", spacing,
                   "distance of neighbouring points [m]; the file's without it")
      ->transform(marsim::tools::number(Quantity::kLength, kSpacings));
  for (CLI::App* sub : {forest_app, building_app, file_app}) {
    sub->option_defaults()->always_capture_default();
    sub->add_option("--out", path, "PCD or PLY file to write")
        ->required()
        ->type_name(marsim::tools::kOutput);
  }
  addForestOptions(*forest_app, forest);
  addBuildingOptions(*building_app, building);
  return marsim::tools::runCommand(app, argc, argv, [&] {
    marsim::requireExtension(path, marsim::map::cloudFormats());
    marsim::requireWritable(path);
    if (file_app->parsed()) return copyMade(config_path, spacing, path);
    if (forest_app->parsed()) {
      forest.validate("command line");
      return save(marsim::scene::makeForest(forest), path);
    }
    building.validate("command line");
    return save(marsim::scene::makeBuilding(building), path);
  });
}
