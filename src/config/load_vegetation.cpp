// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "config/names.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

// Reads [x, y] or [x, y, z]; an omitted z keeps its value.
void readCorner(YamlReader& reader, const std::string& key, Eigen::Ref<Eigen::Vector3d> corner) {
  std::vector<double> values;
  reader.required(key, values, "m");
  if (values.size() != 2 && values.size() != 3) {
    reader.fail(key, fmt::format("{} numbers", values.size()), "[x, y] or [x, y, z]");
  }
  for (std::size_t i = 0; i < values.size(); ++i) corner[static_cast<Eigen::Index>(i)] = values[i];
}

scene::StandConfig readStand(YamlReader& reader, std::string* text) {
  scene::StandConfig stand;
  std::string species;
  reader.required("species", species);
  try {
    std::filesystem::path path;
    if (isYamlPath(species)) {
      reader.required("species", path);
    } else {
      path = resolve("species", species);
    }
    stand.species = load<scene::SpeciesConfig>("species", path);
    if (text != nullptr) *text += YamlReader::textOf(path);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", reader.file(), error.what()));
  }
  stand.declare(reader);
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
    reader.optional("seed", config.seed);
    reader.optional("wind", config.sway);
    reader.requireMaps("stands",
                       [&](YamlReader& stand) { config.stands.push_back(readStand(stand, text)); });
  });
  config.validate(path.string());
  return config;
}

}  // namespace marsim::config
