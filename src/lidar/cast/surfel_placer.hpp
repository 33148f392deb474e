#pragma once

#include <cstddef>
#include <cstdint>

#include "lidar/cast/leaf_blocks.hpp"
#include "lidar/cast/seen_children.hpp"
#include "lidar/cast/vector8.hpp"
#include "lidar/image/footprint8.hpp"
#include "lidar/image/project_kernel.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

/// Which cells of an image the surfels of a leaf may be seen in.
namespace marsim::lidar {
namespace {

/// The rectangle of the cells whose centres may be on a surfel's disc, if there are any: one that
/// is far, or seen from the side, may lie between the rays. Where an image has no such rectangle,
/// near its seam, its poles or the sensor, that of its ball.
template <class Leaves>
class SurfelPlacer {
 public:
  SurfelPlacer(const map::SurfelTreeView& tree, const ImageStrip& view)
      : tree_(tree), image_(view), radius_(tree.header.radius * 1.001F) {}

  std::size_t write(const SeenLeaf& seen, const PlacedSurfels& to) const {
    const Leaf leaf(tree_.nodes[seen.node], seen.slot);
    const Leaves leaves(tree_, leaf, image_.eye, image_.eye_rest);
    std::size_t count = 0;
    for (std::uint32_t first = 0; first < leaf.count; first += 8) {
      const std::uint32_t left = leaf.count - first;
      count = add(leaves, first, left < 8 ? (1U << left) - 1 : 0xffU, to, count);
    }
    return count;
  }

 private:
  static constexpr int kFields = PlacedSurfels::kWords + Leaves::kPlacedWords;

  // Up to eight surfels from the leaf's `first` on; returns the number of what is there now.
  std::size_t add(const Leaves& leaves, std::uint32_t first, unsigned used, const PlacedSurfels& to,
                  std::size_t count) const {
    const Block block = leaves.block(first);
    Float8 centre[3], normal[3], length2 = all8(0.0F);
    rotate(image_, block.v, centre);
    rotate(image_, block.n, normal);
    for (int axis = 0; axis < 3; ++axis) {
      normal[axis] = blend8(all8(0.0F), normal[axis], block.planar);
      length2 += block.v[axis] * block.v[axis];
    }
    const Float8 distance = (sqrt8(length2) - radius_) * 0.99999F;
    used &= notAbove(distance, all8(image_.range_max));
    const Footprints8 cells = discFootprints(image_, centre, normal, all8(radius_));
    const Int8 outside = (cells.first_row > cells.last_row) | (cells.last_row < image_.first_row) |
                         (cells.first_row >= image_.end_row) |
                         (cells.first_column > cells.last_column);

    Float8 fields[kFields] = {distance, packedRanges(cells.first_row, cells.last_row),
                              packedRanges(cells.first_column, cells.last_column),
                              asFloat(iota8() + static_cast<std::int32_t>(first + to.added))};
    leaves.placedWords(first, block, fields + PlacedSurfels::kWords);
    const unsigned regular = used & ~cells.irregular & ~signs(outside);
    const Packing packing(regular);
    for (int k = 0; k < kFields; ++k) packing.store(fields[k], to.fields[k] + count);
    count += static_cast<std::size_t>(__builtin_popcount(regular));
    const unsigned irregular = used & cells.irregular;
    return irregular == 0 ? count : addOneByOne(irregular, centre, fields, to, count);
  }

  static Float8 packedRanges(Int8 first, Int8 last) { return asFloat(first | last << 16); }

  std::size_t addOneByOne(unsigned irregular, const Float8* centre, const Float8* fields,
                          const PlacedSurfels& to, std::size_t count) const {
    for (unsigned left = irregular; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      const float at[3] = {laneOf(centre[0], lane), laneOf(centre[1], lane),
                           laneOf(centre[2], lane)};
      CellRange ranges[2];
      const int range_count = apart(ranges, image_.footprint(image_.finder, at, radius_, ranges));
      for (int i = 0; i < range_count; ++i, ++count) {
        for (int k = 0; k < kFields; ++k) {
          const float value = laneOf(fields[k], lane);
          __builtin_memcpy(to.fields[k] + count, &value, sizeof(value));
        }
        to.fields[PlacedSurfels::kRows][count] =
            packedRange(ranges[i].first_row, ranges[i].last_row);
        to.fields[PlacedSurfels::kColumns][count] =
            packedRange(ranges[i].first_column, ranges[i].last_column);
      }
    }
    return count;
  }

  // Makes one of two ranges that share a tile, which is to have the surfel once.
  static int apart(CellRange* ranges, int count) {
    constexpr int kSide = PlacedSurfels::kSide;
    if (count < 2 || ranges[0].first_column / kSide > ranges[1].last_column / kSide ||
        ranges[1].first_column / kSide > ranges[0].last_column / kSide) {
      return count;
    }
    if (ranges[1].first_column < ranges[0].first_column) {
      ranges[0].first_column = ranges[1].first_column;
    }
    if (ranges[1].last_column > ranges[0].last_column) {
      ranges[0].last_column = ranges[1].last_column;
    }
    return 1;
  }

  static std::uint32_t packedRange(int first, int last) {
    return static_cast<std::uint32_t>(first) | static_cast<std::uint32_t>(last) << 16;
  }

  const map::SurfelTreeView& tree_;
  const ImageStrip& image_;
  const float radius_;  // [m] from above
};

}  // namespace
}  // namespace marsim::lidar
