// Compiled once for each instruction set, with MARSIM_SIMD_LEVEL its namespace. Must not include
// anything that defines inline functions or templates with external linkage.

#include "project_kernel.hpp"

#include "image_walk.hpp"
#include "leaf_walk.hpp"
#include "tile_masks.hpp"

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

std::size_t maskTiles(const map::SurfelTreeView& tree, const ImageStrip& view, const SeenLeaf& leaf,
                      const TileCones& cones, const TileRange& tiles, TileMask* to) {
  if (tree.header.storage == map::SurfelStorage::kCompact) {
    return TileMasker<CompactLeaves>(tree, view, leaf, cones).write(tiles, to);
  }
  return TileMasker<FloatLeaves>(tree, view, leaf, cones).write(tiles, to);
}

}  // namespace marsim::lidar::MARSIM_SIMD_LEVEL
