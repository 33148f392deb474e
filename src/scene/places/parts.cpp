// SPDX-License-Identifier: BSD-3-Clause
#include "scene/places/parts.hpp"

#include <algorithm>
#include <cmath>

namespace marsim::scene {

double PartBuilder::operator()(const std::string& name) const {
  const std::vector<PartParameter>& all = findPartKind(part.kind)->parameters;
  const auto parameter =
      std::find_if(all.begin(), all.end(), [&](const PartParameter& p) { return p.name == name; });
  const auto given = part.values.find(name);
  const double value = given == part.values.end() ? parameter->usual : given->second;
  return parameter->quantity == Quantity::kLength ? scale_ * value : value;
}

std::vector<Eigen::Vector3d> PartBuilder::groundedPath(double longest) const {
  std::vector<Eigen::Vector3d> path;
  const auto add = [&](Eigen::Vector3d p) {
    p.z() += ground(p.x(), p.y());
    path.push_back(p);
  };
  add(part.path.front());
  for (std::size_t i = 1; i < part.path.size(); ++i) {
    const Eigen::Vector3d from = part.path[i - 1], to = part.path[i];
    const int pieces = std::max(1, static_cast<int>(std::ceil((to - from).norm() / longest)));
    for (int k = 1; k <= pieces; ++k) add(from + (to - from) * k / pieces);
  }
  return path;
}

const std::vector<PartKind>& partKinds() {
  static const std::vector<PartKind> all = [] {
    std::vector<PartKind> kinds = buildingParts();
    for (PartKind& kind : furnitureParts()) kinds.push_back(std::move(kind));
    for (PartKind& kind : outdoorParts()) kinds.push_back(std::move(kind));
    return kinds;
  }();
  return all;
}

const PartKind* findPartKind(const std::string& name) {
  for (const PartKind& kind : partKinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

double footprint(const Part& part) {
  double half = 0.0;
  for (const Part& inner : part.parts) {
    half = std::max(half, inner.at.head<2>().norm() + footprint(inner));
  }
  if (part.kind == "group") return half;
  for (const PartParameter& parameter : findPartKind(part.kind)->parameters) {
    const auto given = part.values.find(parameter.name);
    const double value = given == part.values.end() ? parameter.usual : given->second;
    if (parameter.name == "radius") half = std::max(half, value);
    if (parameter.name == "length" || parameter.name == "width") half = std::max(half, 0.5 * value);
  }
  return half;
}

}  // namespace marsim::scene
