// Compiled once for each instruction set, with MARSIM_SIMD_LEVEL its namespace. Must not include
// anything that defines inline functions or templates with external linkage.

#include "lidar/image/project_kernel.hpp"

#include "lidar/cast/leaf_walk.hpp"
#include "lidar/cast/surfel_placer.hpp"
#include "lidar/image/image_walk.hpp"

namespace marsim::lidar::MARSIM_SIMD_LEVEL {

void projectStrip(const map::SurfelTreeView& tree, ImageStrip& strip) {
  if (tree.header.storage == map::SurfelStorage::kCompact) {
    ImageWalk<CompactLeaves>(tree, strip).run();
  } else {
    ImageWalk<FloatLeaves>(tree, strip).run();
  }
}

void listLeaves(const map::SurfelTreeView& tree, const ImageStrip& strip, const LeafSink& sink) {
  LeafWalk(tree, strip, sink).run();
}

std::size_t placeSurfels(const map::SurfelTreeView& tree, const ImageStrip& strip,
                         const SeenLeaf& leaf, const PlacedSurfels& to) {
  if (tree.header.storage == map::SurfelStorage::kCompact) {
    return SurfelPlacer<CompactLeaves>(tree, strip).write(leaf, to);
  }
  return SurfelPlacer<FloatLeaves>(tree, strip).write(leaf, to);
}

}  // namespace marsim::lidar::MARSIM_SIMD_LEVEL
