// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lidar/cast/simd_kernel.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

/// Declarations that the traversals, compiled for several instruction sets, share with other code.
/// Plain declarations only: an inline function compiled here for AVX must not be the one the linker
/// keeps for all.
namespace marsim::lidar {

constexpr int kGroupSize = 16;

/// Rays of one octant of directions: each component's sign (also of zeros) is the same in all.
/// Coordinates [m] relative to the tree's origin; values in double precision are sums of two
/// floats.
struct alignas(64) RayGroup {
  struct alignas(64) Lane {
    float origin[4];       ///< x, y, z and the range's minimum [m], not negative
    float origin_rest[4];  ///< remainder beyond single precision
    float direction[4];    ///< unit; x, y, z and the range's maximum [m], above 0
    float direction_rest[4];
  };
  Lane lanes[kGroupSize];
  int count;
  bool negative[3];  ///< signs of the directions' components
  bool of_beams;     ///< rays of beams, which usually go nearly the same way
};

/// First surfaces: range [m], the surfel's number (kNothing: none), and the unit normal towards the
/// ray's origin (undefined if none).
struct alignas(64) GroupHits {
  static constexpr std::uint32_t kNothing = 0xffffffffU;
  float range[kGroupSize];
  std::uint32_t surfel[kGroupSize];
  float normal[3][kGroupSize];
};

/// Weight of a surfel that a ray meets at its edge or at the end of the depth.
constexpr float kLeastWeight = 1e-6F;

/// As map::Blending; depth 0: the nearest surfel alone.
struct CastBlending {
  float depth, min_cosine, max_offset;
};

using CastKernel = void (*)(const map::SurfelTreeView&, const CastBlending&, const RayGroup&,
                            GroupHits&);

MARSIM_KERNEL(void castGroup(const map::SurfelTreeView& tree, const CastBlending& blending,
                             const RayGroup& rays, GroupHits& hits))

}  // namespace marsim::lidar
