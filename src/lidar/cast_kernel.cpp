// Compiled once for each instruction set, with MARSIM_SIMD_LEVEL its namespace. Must not include
// anything that defines inline functions or templates with external linkage.

#include "cast_kernel.hpp"

#include "tree_walk.hpp"

namespace marsim::lidar::MARSIM_SIMD_LEVEL {

void castGroup(const map::SurfelTreeView& tree, const RayGroup& rays, GroupHits& hits) {
  if (tree.header.storage == map::SurfelStorage::kCompact) {
    GroupWalk<CompactLeaves>(tree, rays).run(hits);
  } else {
    GroupWalk<FloatLeaves>(tree, rays).run(hits);
  }
}

}  // namespace marsim::lidar::MARSIM_SIMD_LEVEL
