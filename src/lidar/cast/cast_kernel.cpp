// Compiled once for each instruction set, with MARSIM_SIMD_LEVEL its namespace. Must not include
// anything that defines inline functions or templates with external linkage.

#include "lidar/cast/cast_kernel.hpp"

#include "lidar/cast/tree_walk.hpp"

namespace marsim::lidar::MARSIM_SIMD_LEVEL {

namespace {

template <class Leaves>
void castWith(const map::SurfelTreeView& tree, const CastBlending& blending, const RayGroup& rays,
              GroupHits& hits) {
  if (blending.depth > 0.0F) {
    GroupWalk<Leaves, Visit::kCollect>(tree, blending, rays).run(hits);
  } else {
    GroupWalk<Leaves, Visit::kNearest>(tree, blending, rays).run(hits);
  }
}

}  // namespace

void castGroup(const map::SurfelTreeView& tree, const CastBlending& blending, const RayGroup& rays,
               GroupHits& hits) {
  if (tree.header.storage == map::SurfelStorage::kCompact) {
    castWith<CompactLeaves>(tree, blending, rays, hits);
  } else {
    castWith<FloatLeaves>(tree, blending, rays, hits);
  }
}

}  // namespace marsim::lidar::MARSIM_SIMD_LEVEL
