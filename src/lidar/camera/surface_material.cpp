// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/camera/surface_material.hpp"

#include <array>
#include <limits>
#include <vector>

#include "marsim/map/semantic_class.hpp"

namespace marsim::lidar {
namespace {

/// A material as a class may have it, with its usual colour.
struct Choice {
  SurfaceMaterial material;
  map::Colour colour;
};

const std::vector<Choice>& wallChoices() {
  static const std::vector<Choice> choices = {
      {SurfaceMaterial::kPlaster, {228, 224, 214}}, {SurfaceMaterial::kConcrete, {156, 154, 148}},
      {SurfaceMaterial::kStone, {112, 112, 110}},   {SurfaceMaterial::kBrick, {152, 92, 70}},
      {SurfaceMaterial::kBrick, {178, 138, 104}},   {SurfaceMaterial::kMetal, {120, 134, 150}}};
  return choices;
}

const std::vector<Choice>& floorChoices() {
  static const std::vector<Choice> choices = {{SurfaceMaterial::kConcrete, {156, 154, 148}},
                                              {SurfaceMaterial::kStone, {112, 112, 110}},
                                              {SurfaceMaterial::kCarpet, {84, 92, 108}},
                                              {SurfaceMaterial::kCarpet, {116, 78, 72}},
                                              {SurfaceMaterial::kWood, {164, 124, 84}}};
  return choices;
}

const std::vector<Choice>& thingChoices() {
  static const std::vector<Choice> choices = {
      {SurfaceMaterial::kWood, {132, 102, 70}},   {SurfaceMaterial::kWood, {196, 158, 108}},
      {SurfaceMaterial::kMetal, {112, 112, 110}}, {SurfaceMaterial::kMetal, {156, 154, 148}},
      {SurfaceMaterial::kMetal, {228, 224, 214}}, {SurfaceMaterial::kMetal, {60, 90, 160}}};
  return choices;
}

const std::vector<Choice>& structureChoices() {
  static const std::vector<Choice> choices = {{SurfaceMaterial::kWood, {132, 102, 70}},
                                              {SurfaceMaterial::kWood, {196, 158, 108}},
                                              {SurfaceMaterial::kRock, {112, 112, 110}},
                                              {SurfaceMaterial::kConcrete, {156, 154, 148}},
                                              {SurfaceMaterial::kMetal, {228, 224, 214}}};
  return choices;
}

const std::vector<Choice>& groundChoices() {
  static const std::vector<Choice> choices = {{SurfaceMaterial::kGrass, {96, 124, 56}},
                                              {SurfaceMaterial::kRock, {112, 112, 110}},
                                              {SurfaceMaterial::kConcrete, {156, 154, 148}}};
  return choices;
}

SurfaceMaterial nearest(const std::vector<Choice>& choices, const map::Colour& colour) {
  SurfaceMaterial best = SurfaceMaterial::kUniform;
  int least = std::numeric_limits<int>::max();
  for (const Choice& choice : choices) {
    int distance = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const int step = colour[i] - choice.colour[i];
      distance += step * step;
    }
    if (distance >= least) continue;
    least = distance;
    best = choice.material;
  }
  return best;
}

}  // namespace

const MaterialTexture& textureOf(SurfaceMaterial material) {
  constexpr float kEven[3] = {1.0F, 1.0F, 1.0F};
  static const std::array<MaterialTexture, kMaterialCount> textures = [&] {
    const auto made = [&](float coarse, float fine, float coarse_spread, float fine_spread,
                          float tint, const float* stretch, const Joints& joints = {}) {
      return MaterialTexture{coarse,      fine, coarse_spread,
                             fine_spread, tint, {stretch[0], stretch[1], stretch[2]},
                             joints};
    };
    constexpr float kAlongX[3] = {0.12F, 1.0F, 1.0F}, kUpright[3] = {1.0F, 1.0F, 0.15F};
    const Joints slabs{{2.4F, 2.4F, 1.2F}, 0.012F, 0.45F, 0.05F, false};
    const Joints bricks{{0.26F, 0.26F, 0.085F}, 0.012F, -0.5F, 0.16F, true};
    const Joints blocks{{0.8F, 0.8F, 0.4F}, 0.015F, 0.5F, 0.14F, true};
    const Joints boards{{0.0F, 0.14F, 0.14F}, 0.004F, 0.5F, 0.12F, false};
    const Joints tiles{{0.5F, 0.5F, 0.0F}, 0.006F, 0.3F, 0.12F, false};
    const Joints panels{{1.2F, 1.2F, 1.2F}, 0.006F, 0.5F, 0.03F, false};
    return std::array<MaterialTexture, kMaterialCount>{
        MaterialTexture{},
        made(0.4F, 0.08F, 0.08F, 0.17F, 0.03F, kEven),             // plaster
        made(0.5F, 0.08F, 0.12F, 0.18F, 0.02F, kEven, slabs),      // concrete
        made(0.5F, 0.04F, 0.08F, 0.14F, 0.03F, kEven, bricks),     // brick
        made(0.5F, 0.06F, 0.16F, 0.18F, 0.03F, kEven, blocks),     // stone
        made(0.5F, 0.06F, 0.18F, 0.20F, 0.03F, kEven),             // rock
        made(0.25F, 0.05F, 0.15F, 0.18F, 0.04F, kAlongX, boards),  // wood
        made(0.4F, 0.05F, 0.10F, 0.20F, 0.03F, kEven, tiles),      // carpet
        made(0.5F, 0.06F, 0.09F, 0.11F, 0.02F, kEven, panels),     // metal
        made(0.16F, 0.04F, 0.22F, 0.22F, 0.04F, kUpright),         // bark
        made(0.6F, 0.06F, 0.20F, 0.24F, 0.12F, kEven),             // grass
        made(0.3F, 0.06F, 0.20F, 0.22F, 0.10F, kEven),             // leaf
        made(0.9F, 0.03F, 0.14F, 0.18F, 0.01F, kEven)};            // asphalt
  }();
  return textures[static_cast<std::size_t>(material)];
}

SurfaceMaterial materialOf(std::uint8_t semantic_class, const map::Colour& colour) {
  namespace semantic = map::semantic;
  switch (semantic_class) {
    case semantic::kRoad:
    case semantic::kParking:
    case semantic::kLaneMarking:
      return SurfaceMaterial::kAsphalt;
    case semantic::kFloor:
    case semantic::kSidewalk:
      return nearest(floorChoices(), colour);
    case semantic::kWall:
    case semantic::kBuilding:
    case semantic::kCeiling:
      return nearest(wallChoices(), colour);
    case semantic::kTerrain:
    case semantic::kOtherGround:
      return nearest(groundChoices(), colour);
    case semantic::kOtherStructure:
      return nearest(structureChoices(), colour);
    case semantic::kFence:
    case semantic::kOtherObject:
    case semantic::kTable:
    case semantic::kChair:
      return nearest(thingChoices(), colour);
    case semantic::kTrunk:
      return SurfaceMaterial::kBark;
    case semantic::kVegetation:
      return SurfaceMaterial::kLeaf;
    case semantic::kCar:
    case semantic::kBus:
    case semantic::kTruck:
    case semantic::kOtherVehicle:
    case semantic::kBicycle:
    case semantic::kMotorcycle:
    case semantic::kOnRails:
    case semantic::kPole:
    case semantic::kTrafficSign:
      return SurfaceMaterial::kMetal;
    default:
      return SurfaceMaterial::kUniform;
  }
}

}  // namespace marsim::lidar
