// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "marsim/lidar/camera.hpp"

namespace marsim::lidar {

/// Materials of surfaces; the texture of kUniform is TextureConfig's.
enum class SurfaceMaterial : std::uint8_t {
  kUniform,
  kPlaster,
  kConcrete,
  kBrick,
  kStone,
  kRock,
  kWood,
  kCarpet,
  kMetal,
  kBark,
  kGrass,
  kLeaf,
  kAsphalt,
};
constexpr int kMaterialCount = 13;

/// Joints between the bricks, boards or panels of a material: planes across the axes of W.
struct Joints {
  float spacing[3] = {};   ///< [m] along each axis; 0: none across it
  float width = 0.01F;     ///< [m]
  float darkness = 0.0F;   ///< of a joint, 0 to 1; below 0: it is lighter
  float shade = 0.0F;      ///< spread of the pieces' shades, of the colour's logarithm
  bool is_bonded = false;  ///< every other layer is half a piece further
};

/// Texture of a material: solid noise around two wave lengths, two octaves each, and joints.
struct MaterialTexture {
  float coarse, fine;                     ///< [m] wave lengths
  float coarse_spread, fine_spread;       ///< of an octave, of the colour's logarithm
  float tint;                             ///< of the first octave between red and blue
  float stretch[3] = {1.0F, 1.0F, 1.0F};  ///< waves a metre along each axis of W, by the others'
  Joints joints = {};
};
const MaterialTexture& textureOf(SurfaceMaterial material);

/// The material of a surface by its class (map::semantic) and its colour: of the materials that are
/// usual for the class the one whose usual colour is nearest.
SurfaceMaterial materialOf(std::uint8_t semantic_class, const map::Colour& colour);

}  // namespace marsim::lidar
