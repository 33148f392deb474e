#pragma once

#include <cstddef>
#include <cstdint>

#include "leaf_blocks.hpp"
#include "marsim/map/surfel_tree_layout.hpp"
#include "project_kernel.hpp"
#include "vector8.hpp"

/// Which surfels of a leaf the rays of small tiles of an image may meet.
namespace marsim::lidar {
namespace {

template <class Leaves>
class TileMasker {
 public:
  TileMasker(const map::SurfelTreeView& tree, const ImageStrip& view, const SeenLeaf& seen,
             const TileCones& cones)
      : cones_(cones), ball_(tree.header.radius * cones.secant * 1.001F) {
    const Leaf leaf(tree.nodes[seen.node], seen.slot);
    const Leaves leaves(tree, leaf, view.eye, view.eye_rest);
    used_ = (1U << leaf.count) - 1;
    blocks_ = static_cast<int>(leaf.count + 7) / 8;
    for (int b = 0; b < blocks_; ++b) {
      const Block block = leaves.block(static_cast<std::uint32_t>(8 * b));
      for (int axis = 0; axis < 3; ++axis) v_[b][axis] = block.v[axis];
    }
  }

  std::size_t write(const TileRange& tiles, TileMask* to) const {
    std::size_t count = 0;
    for (int row = tiles.first_row; row <= tiles.last_row; ++row) {
      for (int column = tiles.first_column; column <= tiles.last_column; ++column) {
        const int tile = row * cones_.columns + column;
        // The same place is written again where the cone meets none.
        to[count] = {static_cast<std::uint32_t>(tile), maskOfTile(tile)};
        count += to[count].mask != 0 ? 1 : 0;
      }
    }
    return count;
  }

 private:
  // Balls about the surfels and the tile's cone.
  unsigned maskOfTile(int tile) const {
    if (cones_.whole) return used_;
    const float a[3] = {cones_.axis[0][tile], cones_.axis[1][tile], cones_.axis[2][tile]};
    unsigned mask = 0;
    for (int b = 0; b < blocks_; ++b) {
      const Float8* v = v_[b];
      const Float8 along = a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
      Float8 off2 = all8(0.0F);
      for (int axis = 0; axis < 3; ++axis) {
        const Float8 off = v[axis] - along * a[axis];
        off2 += off * off;
      }
      const Float8 reach = max8(along * cones_.tangent + ball_, all8(0.0F));
      mask |= notAbove(off2, reach * reach) << (8 * b);
    }
    return mask & used_;
  }

  const TileCones& cones_;
  const float ball_;  // [m] R as seen by a ray that leans by the cone's angle
  unsigned used_;
  int blocks_;
  Float8 v_[map::kMaxLeafSize / 8][3];  // [m] from the sensor
};

}  // namespace
}  // namespace marsim::lidar
