#pragma once

#include <cstddef>
#include <cstdint>

#include "footprint8.hpp"
#include "leaf_blocks.hpp"
#include "marsim/map/surfel_tree_layout.hpp"
#include "project_kernel.hpp"
#include "vector8.hpp"

/// Which surfels of a leaf the rays of small tiles of an image may meet.
namespace marsim::lidar {
namespace {

/// Those with a cell's centre in the rectangle about their discs: one that is far, or seen from the
/// side, may lie between the rays. Where an image has no such rectangle, near its seam, its poles
/// or the sensor, those whose balls meet the tile's cone.
template <class Leaves>
class TileMasker {
 public:
  TileMasker(const map::SurfelTreeView& tree, const ImageStrip& view, const SeenLeaf& seen,
             const TileCones& cones)
      : cones_(cones),
        ball_(tree.header.radius * cones.secant * kMargin),
        distance_(seen.distance) {
    const Leaf leaf(tree.nodes[seen.node], seen.slot);
    const Leaves leaves(tree, leaf, view.eye, view.eye_rest);
    const unsigned used = (1U << leaf.count) - 1;
    block_count_ = static_cast<int>(leaf.count + 7) / 8;
    for (int b = 0; b < block_count_; ++b) {
      blocks_[b].read(view, leaves.block(static_cast<std::uint32_t>(8 * b)),
                      all8(tree.header.radius * kMargin), used >> (8 * b) & 0xffU);
    }
  }

  std::size_t write(const TileRange& tiles, TileMask* to) const {
    std::size_t count = 0;
    for (int row = tiles.first_row; row <= tiles.last_row; ++row) {
      unsigned in_row[kMaxBlocks] = {};
      unsigned any = 0;
      for (int b = 0; b < block_count_; ++b) any |= in_row[b] = blocks_[b].inRow(row * kSide);
      if (any == 0) continue;
      for (int column = tiles.first_column; column <= tiles.last_column; ++column) {
        const int tile = row * cones_.columns + column;
        unsigned mask = 0;
        for (int b = 0; b < block_count_; ++b) {
          unsigned meets = in_row[b] & blocks_[b].inColumn(column * kSide);
          if (blocks_[b].irregular != 0) meets |= blocks_[b].irregular & inCone(blocks_[b], tile);
          mask |= meets << (8 * b);
        }
        // The same place is written again where the tile has none.
        to[count] = {static_cast<std::uint32_t>(tile), mask};
        count += mask != 0 && distance_ <= cones_.farthest[tile] ? 1 : 0;
      }
    }
    return count;
  }

 private:
  static constexpr float kMargin = 1.001F;
  static constexpr int kMaxBlocks = map::kMaxLeafSize / 8;
  static constexpr int kSide = TileCones::kSide;

  // Up to eight surfels.
  struct Surfels {
    Int8 first_row, last_row, first_column, last_column;
    unsigned regular, irregular;  // a bit each; neither: in no cell
    Float8 v[3];                  // [m] from the sensor

    void read(const ImageStrip& view, const Block& block, Float8 radius, unsigned used) {
      Float8 centre[3], normal[3];
      for (int i = 0; i < 3; ++i) {
        const float* R = view.R_SW[i];
        v[i] = block.v[i];
        centre[i] = R[0] * block.v[0] + R[1] * block.v[1] + R[2] * block.v[2];
        normal[i] = blend8(all8(0.0F), R[0] * block.n[0] + R[1] * block.n[1] + R[2] * block.n[2],
                           block.planar);
      }
      const Footprints8 cells = discFootprints(view, centre, normal, radius);
      first_row = cells.first_row;
      last_row = cells.last_row;
      first_column = cells.first_column;
      last_column = cells.last_column;
      irregular = cells.irregular & used;
      const unsigned none = signs((first_row > last_row) | (first_column > last_column));
      regular = used & ~irregular & ~none;
    }
    // Of the tiles that begin at a row or a column.
    unsigned inRow(int row) const {
      return (signs((first_row < row + kSide) & (last_row >= row)) & regular) | irregular;
    }
    unsigned inColumn(int column) const {
      return signs((first_column < column + kSide) & (last_column >= column)) & regular;
    }
  };

  unsigned inCone(const Surfels& surfels, int tile) const {
    if (cones_.whole) return 0xffU;
    const float a[3] = {cones_.axis[0][tile], cones_.axis[1][tile], cones_.axis[2][tile]};
    const Float8* v = surfels.v;
    const Float8 along = a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
    Float8 off2 = all8(0.0F);
    for (int axis = 0; axis < 3; ++axis) {
      const Float8 off = v[axis] - along * a[axis];
      off2 += off * off;
    }
    const Float8 reach = max8(along * cones_.tangent + ball_, all8(0.0F));
    return notAbove(off2, reach * reach);
  }

  const TileCones& cones_;
  const float ball_;  // [m] R as seen by a ray that leans by the cone's angle
  const float distance_;
  int block_count_;
  Surfels blocks_[kMaxBlocks];
};

}  // namespace
}  // namespace marsim::lidar
