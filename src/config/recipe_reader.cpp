// SPDX-License-Identifier: BSD-3-Clause
#include "config/recipe_reader.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "scene/places/materials.hpp"
#include "scene/places/parts.hpp"

namespace marsim::config {
namespace {

using scene::Opening;
using scene::Part;
using scene::PartKind;
using scene::PartParameter;
using Groups = std::map<std::string, std::vector<Part>>;

constexpr int kMostInARow = 100'000;
constexpr double kFarthest = 2500.0;  // [m] of a coordinate; a place is at most 2000 m long

void requireNear(YamlReader& reader, const std::string& key, const Eigen::Vector3d& p) {
  const double farthest = p.cwiseAbs().maxCoeff();
  if (farthest <= kFarthest) return;
  reader.fail(key, fmt::format("{:g} m off", farthest), fmt::format("within {:g} m", kFarthest));
}

Eigen::AlignedBox2d requireArea(YamlReader& reader, const std::string& key) {
  Settings::Table corners;
  if (!reader.has(key)) reader.fail(key, "missing", "[[x, y], [x, y]], two corners");
  reader.optional(key, corners, {"m"}, {"m"});
  if (corners.size() != 2 || corners[0].first >= corners[1].first ||
      corners[0].second >= corners[1].second) {
    reader.fail(key, fmt::format("{} corners", corners.size()),
                "[[x, y], [x, y]], the lower corner first");
  }
  for (const auto& [x, y] : corners) requireNear(reader, key, {x, y, 0.0});
  return {Eigen::Vector2d(corners[0].first, corners[0].second),
          Eigen::Vector2d(corners[1].first, corners[1].second)};
}

void readBounded(YamlReader& reader, const std::string& key, double& value, const Unit& unit,
                 const Bounds& bounds) {
  reader.optional(key, value, unit);
  if (!bounds.hold(value)) reader.fail(key, fmt::format("{:g}", value), bounds.text());
}

using scene::Material;
using scene::SurfaceChoice;

const std::vector<std::pair<std::string, Material>>& materials() {
  namespace material = scene::material;
  static const std::vector<std::pair<std::string, Material>> all = {
      {"bark", material::kBark},
      {"concrete", material::kConcrete},
      {"grass", material::kGrass},
      {"leaf", material::kLeaf},
      {"needle", material::kNeedle},
      {"paint", material::kPaint},
      {"planed_wood", material::kPlanedWood},
      {"rough_wood", material::kRoughWood},
      {"stone", material::kStone},
      {"white_wall", material::kWhiteWall}};
  return all;
}

void readColour(YamlReader& reader, map::Colour& colour) {
  Eigen::Vector3d rgb;
  reader.required("colour", rgb);
  for (int i = 0; i < 3; ++i) {
    if (!(rgb[i] >= 0.0 && rgb[i] <= 255.0)) {
      reader.fail("colour", fmt::format("{:g}", rgb[i]), "[red, green, blue] of 0 to 255");
    }
    colour[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(std::lround(rgb[i]));
  }
}

// A material gives reflectivity and colour; the class stays that of the part.
void readSurface(YamlReader& reader, SurfaceChoice& choice) {
  if (reader.has("material")) {
    Material material;
    reader.required("material", material, materials());
    choice.reflectivity = material.reflectivity;
    choice.colour = material.colour;
  }
  if (reader.has("reflectivity")) {
    readBounded(reader, "reflectivity", choice.reflectivity.emplace(), "", {0.0, 1.0});
  }
  if (reader.has("colour")) readColour(reader, choice.colour.emplace());
  reader.optional("class", choice.semantic_class, map::semantic::names());
}

void readArray(YamlReader& reader, Part& part) {
  Eigen::Vector3d count(1.0, 1.0, 1.0);
  reader.required("count", count);
  reader.required("step", part.step, "m");
  readBounded(reader, "share", part.share, "", {0.0, 1.0});
  for (int axis = 0; axis < 3; ++axis) {
    if (!(count[axis] >= 1.0 && count[axis] <= kMostInARow) ||
        count[axis] != std::floor(count[axis])) {
      reader.fail("count", fmt::format("{:g}", count[axis]), "whole numbers from 1 to 100000");
    }
    part.count[static_cast<std::size_t>(axis)] = static_cast<int>(count[axis]);
  }
  if (count.prod() > kMostInARow) {
    reader.fail("count", fmt::format("{:g} in all", count.prod()), "at most 100000 in all");
  }
}

void readScatter(YamlReader& reader, Part& part) {
  scene::Scatter& scatter = part.scatter.emplace();
  if (reader.has("count") == reader.has("density")) {
    reader.fail("count", "beside density or without it", "either count or density [1/m^2]");
  }
  reader.optional("count", scatter.count);
  if (reader.has("count") && (scatter.count < 1 || scatter.count > kMostInARow)) {
    reader.fail("count", fmt::format("{}", scatter.count), "1 to 100000");
  }
  readBounded(reader, "density", scatter.density, "", {0.0, 100.0});
  readBounded(reader, "gap", scatter.gap, "m", {0.0, 1000.0});
  reader.optional("turn", scatter.turn);
  if (reader.has("area")) scatter.area = requireArea(reader, "area");
}

void readPlacing(YamlReader& reader, Part& part) {
  reader.optional("at", part.at, "m");
  requireNear(reader, "at", part.at);
  reader.optional("yaw", part.yaw, "rad");
  reader.readMap("array", [&](YamlReader& array) { readArray(array, part); });
  reader.readMap("scatter", [&](YamlReader& scatter) { readScatter(scatter, part); });
  reader.optional("scale", part.scale_min, part.scale_max, "");
  if (!(part.scale_min > 0.0 && part.scale_max >= part.scale_min && part.scale_max <= 100.0)) {
    reader.fail("scale", fmt::format("[{:g}, {:g}]", part.scale_min, part.scale_max),
                "[min, max], above 0, at most 100");
  }
}

void readOpening(YamlReader& reader, Part& part) {
  Opening opening;
  reader.required("at", opening.at, "m");
  readBounded(reader, "width", opening.width, "m", {0.05, 100.0});
  readBounded(reader, "bottom", opening.bottom, "m", {0.0, 100.0});
  readBounded(reader, "height", opening.height, "m", {0.05, 100.0});
  readBounded(reader, "every", opening.every, "m", {0.0, 100.0});
  reader.optional("count", opening.count);
  if (opening.count < 1 || opening.count > kMostInARow) {
    reader.fail("count", fmt::format("{}", opening.count), "1 to 100000");
  }
  double length = 0.0;
  for (std::size_t i = 1; i < part.path.size(); ++i) {
    length += (part.path[i] - part.path[i - 1]).norm();
  }
  const double last = opening.at + (opening.count - 1) * opening.every;
  const double half = 0.5 * opening.width, slack = 1e-6;
  if (opening.at < half - slack || last > length - half + slack) {
    reader.fail("at", fmt::format("{:g} m, the last one {:g} m", opening.at, last),
                fmt::format("{:g} to {:g} m along this wall", half, length - half));
  }
  part.openings.push_back(opening);
}

void readForm(YamlReader& reader, const PartKind& kind, Part& part) {
  if (kind.form == PartKind::kAlongPath || kind.form == PartKind::kWall) {
    reader.required("path", part.path, "m");
    if (part.path.size() < 2) {
      reader.fail("path", fmt::format("{} points", part.path.size()), "two points or more");
    }
    for (const Eigen::Vector3d& p : part.path) requireNear(reader, "path", p);
  }
  if (kind.form == PartKind::kWall && reader.has("openings")) {
    reader.requireMaps("openings", [&](YamlReader& opening) { readOpening(opening, part); });
  }
  if (kind.form != PartKind::kSlab) return;
  part.area = requireArea(reader, "area");
  if (!reader.has("holes")) return;
  reader.requireMaps("holes",
                     [&](YamlReader& hole) { part.holes.push_back(requireArea(hole, "area")); });
}

Part readPart(YamlReader& reader, const Groups& groups) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const PartKind& kind : scene::partKinds()) names.emplace_back(kind.name, kind.name);
  for (const auto& [name, parts] : groups) names.emplace_back(name, name);
  Part part;
  reader.required<std::string>("part", part.kind, names);
  readPlacing(reader, part);
  if (const auto group = groups.find(part.kind); group != groups.end()) {
    part.kind = "group";
    part.parts = group->second;
    return part;
  }
  const PartKind& kind = *scene::findPartKind(part.kind);
  for (const PartParameter& parameter : kind.parameters) {
    double value = parameter.usual;
    readBounded(reader, parameter.name, value, {"", parameter.quantity},
                {parameter.low, parameter.high});
    if (reader.has(parameter.name)) part.values[parameter.name] = value;
  }
  readForm(reader, kind, part);
  readSurface(reader, part.surface);
  return part;
}

std::vector<Part> readParts(YamlReader& reader, const std::string& key, const Groups& groups) {
  std::vector<Part> parts;
  if (reader.has(key)) {
    reader.requireMaps(key, [&](YamlReader& part) { parts.push_back(readPart(part, groups)); });
  }
  return parts;
}

// Number of parts: nested groups may stand for more than memory holds.
std::size_t countOf(const std::vector<Part>& parts) {
  std::size_t count = parts.size();
  for (const Part& part : parts) count += countOf(part.parts);
  return count;
}

Groups readGroups(YamlReader& reader) {
  Groups groups;
  reader.readMap("groups", [&](YamlReader& list) {
    for (const std::string& name : list.keys()) {
      if (scene::findPartKind(name) != nullptr || name == "group") {
        list.fail(name, "a group", "a name that no part has");
      }
      // A group may contain groups defined above it.
      std::vector<Part> parts = readParts(list, name, groups);
      if (countOf(parts) > kMostInARow) {
        list.fail(name, fmt::format("{} parts", countOf(parts)), "at most 100000 parts");
      }
      groups[name] = std::move(parts);
    }
  });
  return groups;
}

}  // namespace

void readRecipe(YamlReader& reader, scene::Recipe& recipe) {
  reader.readMap("ground", [&](YamlReader& ground) {
    scene::GroundConfig& config = recipe.ground.emplace();
    config.declare(ground);
    readSurface(ground, config.surface);
  });
  const Groups groups = readGroups(reader);
  recipe.parts = readParts(reader, "parts", groups);
  recipe.surroundings = readParts(reader, "surroundings", groups);
}

}  // namespace marsim::config
