// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for each instruction set, with MARSIM_SIMD_LEVEL its namespace. Must not include
// anything that defines inline functions or templates with external linkage.

#include "lidar/cast/cast_kernel.hpp"

#include "lidar/cast/beam_walk.hpp"
#include "lidar/cast/tree_walk.hpp"

namespace marsim::lidar::MARSIM_SIMD_LEVEL {
namespace {

// Separate from castGroup, whose stack is smaller this way.
__attribute__((noinline)) bool castNarrow(const map::SurfelTreeView& tree,
                                          const CastBlending& blending, const RayGroup& rays,
                                          GroupHits& hits) {
  BeamWalk beams(tree, blending, rays);
  return beams.isNarrow() && beams.run(hits);
}

}  // namespace

void castGroup(const map::SurfelTreeView& tree, const CastBlending& blending, const RayGroup& rays,
               GroupHits& hits) {
  if (rays.of_beams && castNarrow(tree, blending, rays, hits)) return;
  if (blending.depth > 0.0F) {
    GroupWalk<Visit::kCollect>(tree, blending, rays).run(hits);
  } else {
    GroupWalk<Visit::kNearest>(tree, blending, rays).run(hits);
  }
}

}  // namespace marsim::lidar::MARSIM_SIMD_LEVEL
