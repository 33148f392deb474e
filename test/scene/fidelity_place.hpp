// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "scene/handheld_scan.hpp"
#include "scene/shapes.hpp"

namespace marsim::scene {

enum class FidelityKind { kWall, kBoard, kBox, kPlate, kDoor, kRod, kBall, kBush };

struct FidelitySolid {
  FidelityKind kind;
  Shape shape;
};

/// A furnished room to hold simulated ranges against: walls at right angles, boards at several
/// inclinations, boxes, a thin plate, a door of 4 cm, rods and columns of 2 to 30 cm upright, level
/// and oblique, a ball, and a bush of small leaves.
class FidelityPlace : public PlaceOf<FidelitySolid> {
 public:
  using Kind = FidelityKind;
  using Solid = FidelitySolid;

  /// `seed` decides the bush's leaves; all else is the same for every seed.
  explicit FidelityPlace(std::uint64_t seed = 1);
};

}  // namespace marsim::scene
