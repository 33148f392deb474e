// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include <fmt/format.h>

#include "config/names.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/semantic_class.hpp"
#include "marsim/scene/moving_object.hpp"

namespace marsim::config {
namespace {

/// A whole number in digits only, up to `most`.
std::optional<std::uint32_t> numberOf(const std::string& text, std::uint32_t most) {
  if (text.empty() || text.size() > 9) return std::nullopt;
  if (text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const unsigned long number = std::stoul(text);
  if (number > most) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

std::uint8_t classOf(const YamlReader& reader, const std::string& text) {
  if (const auto number = numberOf(text, 255)) return static_cast<std::uint8_t>(*number);
  std::vector<std::string> known;
  for (const auto& [name, number] : map::semantic::names()) {
    if (name == text) return number;
    known.push_back(name);
  }
  known.emplace_back("0 to 255");
  throw UnknownNameError(reader.file(), "class", text, known);
}

/// Reads the names written by scene::identityName.
std::uint32_t identityOf(const YamlReader& reader, const std::string& text) {
  const std::size_t space = text.find(' ');
  const std::string kind = text.substr(0, space);
  const std::string rest = space == std::string::npos ? "" : text.substr(space + 1);
  if (kind == "uav") {
    if (const auto number = numberOf(rest, scene::kFirstObstacleIdentity - 1)) return *number;
  }
  if (kind == "obstacle") {
    const std::uint32_t most = scene::kFirstPlantIdentity - scene::kFirstObstacleIdentity - 1;
    if (const auto number = numberOf(rest, most)) return scene::kFirstObstacleIdentity + *number;
  }
  reader.fail("object", fmt::format("'{}'", text), "uav N or obstacle N, e.g. obstacle 3");
}

lidar::SurfaceConfig readSurface(YamlReader& reader) {
  lidar::SurfaceConfig surface;
  surface.declare(reader);
  return surface;
}

template <class Key>
void add(const YamlReader& reader, const std::string& field, const std::string& text, Key key,
         const lidar::SurfaceConfig& surface, std::map<Key, lidar::SurfaceConfig>& surfaces) {
  if (!surfaces.emplace(key, surface).second) {
    reader.fail(field, fmt::format("'{}' again", text), "each once");
  }
}

}  // namespace

lidar::SurfacesConfig loadSurfaces(const std::string& name_or_path) {
  const std::filesystem::path path = resolve("surfaces", name_or_path);
  lidar::SurfacesConfig config;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    reader.optional("clearance", config.clearance, "m");
    reader.requireMaps("surfaces", [&](YamlReader& entry) {
      std::string text;
      if (entry.has("object")) {
        entry.required("object", text);
        const std::uint32_t identity = identityOf(entry, text);
        add(entry, "object", text, identity, readSurface(entry), config.objects);
      } else {
        entry.required("class", text);
        const std::uint8_t number = classOf(entry, text);
        add(entry, "class", text, number, readSurface(entry), config.classes);
      }
    });
  });
  config.validate(path.string());
  return config;
}

}  // namespace marsim::config
