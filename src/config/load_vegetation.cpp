#include <fmt/format.h>

#include "config/names.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/semantic_class.hpp"

namespace marsim::config {
namespace {

using scene::SpeciesConfig;

void readShrub(YamlReader& reader, SpeciesConfig& species) {
  if (!reader.has("crown")) reader.fail("crown", "absent", "{width: ..., height: ...}");
  reader.readMap("crown", [&](YamlReader& crown) {
    crown.require("width", species.crown_width, Quantity::kLength);
    crown.require("height", species.crown_height, Quantity::kLength);
  });
  reader.read("twigs", species.twigs);
  reader.read("twig_diameter", species.twig_diameter, Quantity::kLength);
  reader.read("leaves", species.leaves);
  reader.readInterval("leaf", species.leaf_min, species.leaf_max, Quantity::kLength);
  reader.readMap("wood", [&](YamlReader& wood) {
    wood.read("reflectivity", species.wood_reflectivity);
    wood.readWord("class", species.wood_class, map::semantic::names());
  });
}

SpeciesConfig loadSpecies(const std::filesystem::path& path) {
  SpeciesConfig species;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    reader.requireWord<SpeciesConfig::Kind>(
        "kind", species.kind,
        {{"stems", SpeciesConfig::Kind::kStems}, {"shrub", SpeciesConfig::Kind::kShrub}});
    reader.readInterval("height", species.height_min, species.height_max, Quantity::kLength);
    reader.readInterval("diameter", species.diameter_min, species.diameter_max, Quantity::kLength);
    reader.read("reflectivity", species.reflectivity);
    reader.readWord("class", species.semantic_class, map::semantic::names());
    reader.read("obstacle", species.is_obstacle);
    if (species.kind == SpeciesConfig::Kind::kShrub) {
      if (!reader.has("height")) reader.fail("height", "absent", "the heights of a shrub");
      readShrub(reader, species);
    } else {
      reader.read("lean", species.lean, Quantity::kAngle);
      reader.read("pieces", species.pieces);
    }
  });
  species.validate(path.string());
  return species;
}

// Reads [x, y] or [x, y, z]; an omitted z keeps its value.
void readCorner(YamlReader& reader, const std::string& key, Eigen::Ref<Eigen::Vector3d> corner) {
  std::vector<double> values;
  reader.requireList(key, values, Quantity::kLength);
  if (values.size() != 2 && values.size() != 3) {
    reader.fail(key, fmt::format("{} numbers", values.size()), "[x, y] or [x, y, z]");
  }
  for (std::size_t i = 0; i < values.size(); ++i) corner[static_cast<Eigen::Index>(i)] = values[i];
}

scene::StandConfig readStand(YamlReader& reader, std::string* text) {
  scene::StandConfig stand;
  std::string species;
  reader.require("species", species);
  try {
    std::filesystem::path path;
    if (isYamlPath(species)) {
      reader.require("species", path);
    } else {
      path = resolve("species", species);
    }
    stand.species = loadSpecies(path);
    if (text != nullptr) *text += YamlReader::textOf(path);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", reader.file(), error.what()));
  }
  reader.require("density", stand.density);
  reader.readInterval("scale", stand.scale_min, stand.scale_max, Quantity::kNumber);
  reader.readMap("region", [&](YamlReader& region) {
    readCorner(region, "min", stand.region.min());
    readCorner(region, "max", stand.region.max());
  });
  return stand;
}

}  // namespace

scene::VegetationConfig loadVegetation(const std::string& name_or_path, std::string* text) {
  if (name_or_path == "none") return {};
  const std::filesystem::path path = resolve("vegetation", name_or_path);
  scene::VegetationConfig config;
  if (text != nullptr) *text += YamlReader::textOf(path);
  YamlReader::readFile(path, [&](YamlReader& reader) {
    reader.read("seed", config.seed);
    reader.readMap("wind", [&](YamlReader& wind) {
      wind.require("lean", config.sway.lean, Quantity::kAngle);
      wind.read("direction", config.sway.direction, Quantity::kAngle);
      wind.read("period", config.sway.period, Quantity::kTime);
    });
    reader.requireMaps("stands",
                       [&](YamlReader& stand) { config.stands.push_back(readStand(stand, text)); });
  });
  config.validate(path.string());
  return config;
}

}  // namespace marsim::config
