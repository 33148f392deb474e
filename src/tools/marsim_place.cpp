#include <fmt/format.h>

#include "common/output_file.hpp"
#include "common/text.hpp"
#include "config/places.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/scene/places.hpp"
#include "tools/command_line.hpp"

namespace {

using marsim::scene::BuildingConfig;
using marsim::scene::ForestConfig;

void addForestOptions(CLI::App& app, ForestConfig& config) {
  marsim::tools::addSeed(app, config.seed, "another seed, another wood");
  app.add_option("--size-x", config.size_x, "extent along x [m]");
  app.add_option("--size-y", config.size_y, "extent along y [m]");
  app.add_option("--trees", config.trees_per_100_m2, "trees on 100 m^2");
  app.add_option("--tree-spacing", config.min_tree_spacing, "least distance of trunk axes [m]");
  app.add_option("--tree-height", config.tree_height, "mean [m]");
  app.add_option("--trunk-radius", config.trunk_radius, "mean, at breast height [m]");
  app.add_option("--relief", config.ground_relief, "of the ground, peak to peak [m]");
  app.add_option("--roughness", config.ground_roughness, "of the ground, standard deviation [m]");
  app.add_option("--clearing", config.clearing_radius, "radius without trees at the origin [m]");
  app.add_option("--surroundings", config.surroundings, "wood and bank beyond the extent [m]");
  app.add_option("--spacing", config.spacing, "distance of neighbouring points [m]");
  app.add_option("--noise", config.range_noise, "standard deviation off the surface [m]");
}

void addBuildingOptions(CLI::App& app, BuildingConfig& config) {
  marsim::tools::addSeed(app, config.seed, "of the points' noise");
  app.add_option("--room-length", config.room_length, "along x, each room [m]");
  app.add_option("--room-width", config.room_width, "along y [m]");
  app.add_option("--height", config.height, "clear height [m]");
  app.add_option("--wall", config.wall_thickness, "thickness of walls [m]");
  app.add_option("--door-width", config.door_width, "[m]");
  app.add_option("--door-height", config.door_height, "[m]");
  app.add_option("--spacing", config.spacing, "distance of neighbouring points [m]");
  app.add_option("--noise", config.range_noise, "standard deviation off the surface [m]");
}

int save(const marsim::map::PointCloud& cloud, const std::string& path) {
  marsim::map::saveCloud(path, cloud);
  fmt::print("{}: {} points\n", path, marsim::withThousands(cloud.size()));
  return 0;
}

// A place described by a YAML file is made once and kept; a copy is handed out. With a spacing of
// its own it is made for this call.
int copyMade(const std::string& config_path, const std::string& spacing, const std::string& path) {
  if (!spacing.empty()) {
    const double metres =
        marsim::tools::parseOption("--spacing", spacing, marsim::Quantity::kLength);
    return save(marsim::config::makePlaceAt(config_path, metres), path);
  }
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
  std::string config_path, spacing;
  file_app->add_option("config", config_path, "YAML file, as those in maps/")
      ->required()
      ->check(CLI::ExistingFile);
  file_app->add_option("--spacing", spacing,
                       "distance of neighbouring points [m]; the file's without it");
  for (CLI::App* sub : {forest_app, building_app, file_app}) {
    sub->option_defaults()->always_capture_default();
    sub->add_option("--out", path, "PCD or PLY file to write")->required();
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
