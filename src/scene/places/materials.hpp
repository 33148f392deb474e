// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "marsim/map/point_cloud.hpp"
#include "marsim/map/semantic_class.hpp"

namespace marsim::scene {

/// Material of a surface in generated places.
struct Material {
  double reflectivity = 0.5;  ///< 0 to 1
  map::Colour colour{};
  std::uint8_t semantic_class = map::semantic::kNone;
};

/// A recipe's properties of a surface in place of its part's own.
struct SurfaceChoice {
  std::optional<double> reflectivity;  ///< 0 to 1
  std::optional<map::Colour> colour;
  std::optional<std::uint8_t> semantic_class;

  Material over(const Material& usual) const {
    return {reflectivity.value_or(usual.reflectivity), colour.value_or(usual.colour),
            semantic_class.value_or(usual.semantic_class)};
  }
};

/// Reflectivities near 905 nm are spectra of the JHU and NEF libraries from HELIOS++ (at 900 nm),
/// or else from tables of scanner makers. Colours are plausible choices. A material's class is that
/// of its usual objects.
namespace material {

namespace semantic = map::semantic;

/// A material with another class than usual.
constexpr Material of(Material usual, std::uint8_t semantic_class) {
  return {usual.reflectivity, usual.colour, semantic_class};
}

/// Green rye grass.
constexpr Material kGrass{0.508, {96, 124, 56}, semantic::kTerrain};
/// Deciduous leaf.
constexpr Material kLeaf{0.554, {74, 112, 44}, semantic::kVegetation};
/// Conifer needles.
constexpr Material kNeedle{0.515, {46, 82, 50}, semantic::kVegetation};
/// Rough wood (makers' tables), used for bark, which no table has.
constexpr Material kBark{0.25, {98, 78, 60}, semantic::kTrunk};
constexpr Material kRoughWood{0.25, {132, 102, 70}, semantic::kOtherObject};
/// Pine lumber.
constexpr Material kPlanedWood{0.919, {196, 158, 108}, semantic::kOtherObject};
/// Weathered slate.
constexpr Material kStone{0.189, {112, 112, 110}, semantic::kOtherGround};
/// Smooth concrete (makers' tables).
constexpr Material kConcrete{0.24, {156, 154, 148}, semantic::kBuilding};
/// White masonry (makers' tables).
constexpr Material kWhiteWall{0.85, {228, 224, 214}, semantic::kBuilding};
/// Paint of cars; the recipe or the part sets its reflectivity and colour.
constexpr Material kPaint{0.85, {200, 202, 206}, semantic::kCar};
/// Tyres: as dark as slate.
constexpr Material kRubber{0.189, {40, 40, 42}, semantic::kCar};

}  // namespace material
}  // namespace marsim::scene
