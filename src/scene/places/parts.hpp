// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "marsim/common/units.hpp"
#include "scene/places/materials.hpp"
#include "scene/places/recipe.hpp"
#include "scene/places/surface_sampler.hpp"

namespace marsim::scene {

/// A parameter of a kind of part; lengths grow with the part's scale.
struct PartParameter {
  std::string name;
  double usual;
  double low, high;
  Quantity quantity = Quantity::kLength;
};

/// A part under construction, in its own coordinates.
class PartBuilder {
 public:
  /// `random` decides the part's make-up, the sampler's own stream the places of its points: the
  /// make-up is the same at every spacing.
  PartBuilder(const Part& line, double scale, RandomStream random,
              std::function<double(double, double)> ground, SurfaceSampler& to)
      : part(line), sampler(to), random_(random), ground_(std::move(ground)), scale_(scale) {}

  /// Value of a parameter, scaled.
  double operator()(const std::string& name) const;
  /// The path on the ground in pieces no longer than `longest` [m].
  std::vector<Eigen::Vector3d> groundedPath(double longest) const;
  /// Height of the ground [m] above that under the part's origin.
  double ground(double x, double y) const { return ground_(x, y); }
  /// Sets the material of the following points, which the recipe may overrule. The class is the
  /// material's unless given.
  void of(Material usual, std::optional<std::uint8_t> semantic_class = std::nullopt) {
    if (semantic_class) usual.semantic_class = *semantic_class;
    sampler.setMaterial(part.surface.over(usual));
  }

  RandomStream& random() { return random_; }

  const Part& part;
  SurfaceSampler& sampler;

 private:
  RandomStream random_;
  std::function<double(double, double)> ground_;
  double scale_;
};

/// A kind of part: its parameters and how to build it.
struct PartKind {
  std::string name;
  std::vector<PartParameter> parameters;
  void (*build)(PartBuilder&);
  enum Form { kPlaced, kAlongPath, kWall, kSlab } form = kPlaced;
  bool is_thing = false;  ///< each one has an instance
};

const std::vector<PartKind>& partKinds();
/// Null for an unknown name.
const PartKind* findPartKind(const std::string& name);

/// Half the width [m] of a part, for gaps between scattered parts.
double footprint(const Part& part);

std::vector<PartKind> buildingParts();
std::vector<PartKind> furnitureParts();
std::vector<PartKind> outdoorParts();

}  // namespace marsim::scene
