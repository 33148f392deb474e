// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "common/data_dir.hpp"
#include "common/file_locks.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "config/names.hpp"
#include "config/places.hpp"
#include "config/recipe_reader.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"

namespace marsim::config {
namespace fs = std::filesystem;
namespace {

using scene::BuildingConfig;
using scene::ForestConfig;
using scene::Recipe;
using PlaceConfig = std::variant<ForestConfig, BuildingConfig, Recipe>;

/// Raise it when makeForest(), makeBuilding() or makeRecipe() give other points for the same
/// settings, so that cached clouds are made anew.
constexpr int kGeneratorVersion = 6;

PlaceConfig loadPlace(const fs::path& path) {
  PlaceConfig place;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    reader.required(
        "place", place,
        {{"forest", ForestConfig{}}, {"building", BuildingConfig{}}, {"recipe", Recipe{}}});
    std::visit(
        [&](auto& config) {
          reader.optional("seed", config.seed);
          config.declare(reader);
        },
        place);
    if (auto* recipe = std::get_if<Recipe>(&place)) readRecipe(reader, *recipe);
  });
  std::visit([&](const auto& config) { config.validate(path.string()); }, place);
  return place;
}

/// A number that changes with any setting and with the generator; for a recipe with its text.
std::uint64_t fingerprint(const PlaceConfig& place, const fs::path& yaml) {
  std::string text = fmt::format("{} {}", kGeneratorVersion, place.index());
  std::visit(
      [&](const auto& config) {
        text += fmt::format(" {}", config.seed);
        forEachNumber(config, [&](const std::string& key, double value, const Unit&,
                                  const Bounds&) { text += fmt::format(" {}={}", key, value); });
      },
      place);
  if (std::holds_alternative<Recipe>(place)) text += YamlReader::textOf(yaml);
  std::uint64_t hash = 0;
  for (const char c : text) hash = mixBits(hash ^ static_cast<unsigned char>(c));
  return hash;
}

map::PointCloud makePlace(const PlaceConfig& place, const fs::path& yaml) {
  if (const auto* forest = std::get_if<ForestConfig>(&place)) return scene::makeForest(*forest);
  if (const auto* building = std::get_if<BuildingConfig>(&place)) {
    return scene::makeBuilding(*building);
  }
  Progress progress(yaml.stem().string());
  return scene::makeRecipe(std::get<Recipe>(place), yaml.string(), progress);
}

/// Makes the cloud unless another process has made it meanwhile.
void makeFile(const fs::path& yaml, const PlaceConfig& place, const fs::path& path) {
  const BuildLock lock(path, [](const std::string& line) { fmt::print(stderr, "{}\n", line); });
  if (fs::is_regular_file(path)) return;
  fmt::print(stderr, "making the place '{}' of {}, once\n", yaml.stem().string(), yaml.string());
  map::savePcd(path, makePlace(place, yaml));
}

/// The generated cloud of a place's file, made if it is not in the cache.
fs::path generated(const fs::path& yaml) {
  const PlaceConfig place = loadPlace(yaml);
  const std::string name =
      fmt::format("{}-{:016x}.pcd", yaml.stem().string(), fingerprint(place, yaml));
  const auto report = [](const std::string& line) { fmt::print(stderr, "warning: {}\n", line); };
  const fs::path cached = cacheDir(report) / "places" / name;
  std::error_code none;
  if (fs::is_regular_file(cached, none)) return cached;
  try {
    makeFile(yaml, place, cached);
    return cached;
  } catch (const FileError& error) {
    report(error.what());
  }
  const fs::path fallback = temporaryCacheDir() / "places" / name;
  if (fs::is_regular_file(fallback, none)) return fallback;
  report(fmt::format("keeping the place in {} instead", fallback.parent_path().string()));
  makeFile(yaml, place, fallback);
  return fallback;
}

/// Files of this folder that a bare name may mean.
std::vector<std::string> filesNamed(const std::string& name) {
  std::vector<std::string> found;
  for (const char* extension : {"", ".pcd", ".ply", ".yaml"}) {
    std::error_code none;
    if (fs::is_regular_file(name + extension, none)) found.push_back("./" + name + extension);
  }
  return found;
}

fs::path cloudFile(const fs::path& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (!fs::exists(status)) throw FileError(path.string(), "no such file");
  if (fs::is_directory(status)) throw FileError(path.string(), "is a folder, a map file is wanted");
  if (!fs::is_regular_file(status)) throw FileError(path.string(), "is no regular file");
  requireExtension(path, map::cloudFormats());
  return path;
}

}  // namespace

map::PointCloud makePlaceAt(const fs::path& yaml, double spacing) {
  PlaceConfig place = loadPlace(yaml);
  std::visit(
      [&](auto& config) {
        config.spacing = spacing;
        config.validate("--spacing");
      },
      place);
  return makePlace(place, yaml);
}

fs::path resolveMap(const std::string& name_or_path) {
  const fs::path path(name_or_path);
  if (path.extension() == ".yaml") return generated(path);
  const bool is_path = name_or_path.find('/') != std::string::npos || path.has_extension();
  if (is_path) return cloudFile(path);
  const fs::path folder = dataDir() / "maps";
  std::vector<std::string> names = yamlNames(folder);
  const std::vector<std::string> files = filesNamed(name_or_path);
  if (std::find(names.begin(), names.end(), name_or_path) == names.end()) {
    names.emplace_back("or the path of a .pcd or .ply file" +
                       (files.empty() ? "" : fmt::format(" (here: {})", join(files))));
    throw UnknownNameError("", "place", name_or_path, names);
  }
  if (!files.empty()) {
    fmt::print(stderr, "map '{}' is the bundled place; the file of that name here is {}\n",
               name_or_path, join(files));
  }
  return generated(folder / (name_or_path + ".yaml"));
}

}  // namespace marsim::config
