// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lidar/cast/leaf_blocks.hpp"
#include "lidar/cast/ray_meets_surfel.hpp"
#include "lidar/cast/vector8.hpp"
#include "lidar/image/footprint8.hpp"
#include "lidar/image/project_kernel.hpp"
#include "map/tree/leaf_storage.hpp"

/// Walks a surfel tree into the rows of a dense image, near to far.
///
/// Everything is in single precision, in the sensor's frame: rounding moves a surfel by less than
/// 4e-7 of its distance, as would a change of the ray's direction by 4e-7 rad.
namespace marsim::lidar {
namespace {

/// Rotates vectors from the tree's frame to the sensor's.
inline void rotate(const ImageStrip& image, const Float8* in, Float8* out) {
  for (int i = 0; i < 3; ++i) {
    out[i] = image.R_SW[i][0] * in[0] + image.R_SW[i][1] * in[1] + image.R_SW[i][2] * in[2];
  }
}

/// Makes the normals of eight cells unit normals towards the sensor, or against the ray in cells
/// that met no disc, and turns them into the tree's frame.
inline void finishNormals(const ImageStrip& image, int cell) {
  Float8 d[3], n[3], slope = all8(0.0F), length2 = all8(0.0F);
  for (int axis = 0; axis < 3; ++axis) {
    d[axis] = load8<Float8>(image.direction[axis] + cell);
    n[axis] = load8<Float8>(image.normal[axis] + cell);
    slope += n[axis] * d[axis];
    length2 += n[axis] * n[axis];
  }
  const Int8 planar = length2 > 0.0F;
  const Float8 scale = 1.0F / sqrt8(length2);
  for (int axis = 0; axis < 3; ++axis) {
    n[axis] = blend8(-d[axis], n[axis] * blend8(scale, -scale, slope > 0.0F), planar);
  }
  for (int i = 0; i < 3; ++i) {
    store8(image.normal[i] + cell,
           image.R_SW[0][i] * n[0] + image.R_SW[1][i] * n[1] + image.R_SW[2][i] * n[2]);
  }
}

inline void finishNormals(const ImageStrip& image) {
  for (int row = 0; row < image.height; ++row) {
    const int end = row * image.stride + image.width;
    for (int i = row * image.stride; i < end; i += 8) finishNormals(image, i);
  }
}

/// A node's children as an imaging sensor sees them: distances of their boxes, and cells that they
/// may fill.
class SeenChildren {
 public:
  SeenChildren(const ImageStrip& image, const map::TreeNode& node)
      : SeenChildren(image, node, boxesOf(image, node)) {}

  /// A mask of the slots within the range.
  unsigned slots() const { return slots_; }
  /// [m] lower bound.
  float distance(int slot) const { return distance_[slot]; }
  /// The cells of a child's bounding sphere in the image: up to two ranges; returns their number.
  int cells(int slot, CellRange* ranges) const { return cells_.get(slot, ranges); }

 private:
  struct Boxes {
    Float8 centre[3], distance, radius;  // centre: in the sensor's frame
  };

  SeenChildren(const ImageStrip& image, const map::TreeNode& node, const Boxes& boxes)
      : cells_(footprintsOf(image, boxes.centre, boxes.radius)),
        slots_(notAbove(boxes.distance, all8(image.range_max)) & map::slotsUsed(node)) {
    store8(distance_, boxes.distance);
  }

  static Boxes boxesOf(const ImageStrip& image, const map::TreeNode& node) {
    Float8 centre[3], distance2 = all8(0.0F), half2 = all8(0.0F);
    for (int axis = 0; axis < 3; ++axis) {
      const float scale = map::gridStep<float>(node, axis);
      const float base = (node.origin[axis] - image.eye[axis]) - image.eye_rest[axis];
      const Float8 low = fromBytes(node.lower[axis]) * scale + base;
      const Float8 high = fromBytes(node.upper[axis]) * scale + base;
      const Float8 outside = max8(max8(low, -high), all8(0.0F));
      distance2 += outside * outside;
      centre[axis] = 0.5F * (low + high);
      half2 += (high - low) * (high - low);
    }
    Boxes boxes;
    boxes.distance = sqrt8(distance2) * 0.99999F;
    boxes.radius = sqrt8(half2) * 0.50002F;
    rotate(image, centre, boxes.centre);
    return boxes;
  }

  const Footprints cells_;
  const unsigned slots_;
  float distance_[8];
};

/// Draws a tree into a strip of an image. With blending, keeps every cell's nearest surfel, and in
/// ImageBlending::seen all surfels that may be blended with it.
template <bool kBlends>
class ImageWalk {
 public:
  ImageWalk(const map::SurfelTreeView& tree, ImageStrip& strip)
      : tree_(tree), image_(strip), depth_(kBlends ? strip.blending.depth : 0.0F) {}

  void run() {
    if (tree_.header.node_count == 0) return;
    Entry stack[(map::kTreeWidth - 1) * map::kMaxTreeDepth + map::kTreeWidth];
    int size = 0;
    descend(0, stack, size);
    while (size > 0) {
      Entry entry = stack[--size];
      if (hidden(entry.cells, entry.distance)) continue;
      if ((entry.child & map::kLeafBit) != 0) {
        renderLeaf(entry.child);
      } else {
        descend(entry.child, stack, size);
      }
    }
  }

 private:
  static constexpr int kTile = ImageStrip::kTile;

  struct Entry {
    float distance;  // [m] from the sensor, lower bound
    std::uint32_t child;
    CellRange cells;
  };

  // Pushes a node's children that the strip may see; the nearest on top.
  void descend(std::uint32_t number, Entry* stack, int& size) const {
    const map::TreeNode& node = tree_.nodes[number];
    const SeenChildren seen(image_, node);
    const int first = size;
    for (unsigned left = seen.slots(); left != 0; left &= left - 1) {
      const int slot = __builtin_ctz(left);
      Entry entry;
      entry.cells = rangeOf(seen, slot);
      if (!inStrip(entry.cells)) continue;
      entry.distance = seen.distance(slot);
      entry.child = map::childOf(node, number, static_cast<unsigned>(slot));
      int at = size++;
      for (; at > first && stack[at - 1].distance < entry.distance; --at) stack[at] = stack[at - 1];
      stack[at] = entry;
    }
  }

  // One range for a sphere; all columns if its cells are two ranges.
  CellRange rangeOf(const SeenChildren& seen, int slot) const {
    CellRange ranges[2];
    const int count = seen.cells(slot, ranges);
    if (count == 0) return {0, -1, 0, -1};
    if (count == 2) {
      ranges[0].first_column = 0;
      ranges[0].last_column = image_.width - 1;
    }
    return ranges[0];
  }

  // Clips the rows to the strip's; false if none is left.
  bool inStrip(CellRange& cells) const {
    if (cells.first_row < 0) cells.first_row = 0;
    if (cells.last_row >= image_.height) cells.last_row = image_.height - 1;
    return cells.first_row <= cells.last_row && cells.first_column <= cells.last_column;
  }

  // Whether all cells have surfaces nearer than `distance` [m]. For few cells drops the covered
  // first and last rows; many are checked by tiles.
  bool hidden(CellRange& cells, float distance) const {
    distance -= depth_;
    const int columns = cells.last_column - cells.first_column;
    if (columns >= 8 || cells.last_row - cells.first_row >= 8) return tilesHide(cells, distance);
    const unsigned lanes = (2U << columns) - 1;
    const float* depth = image_.depth + cells.first_column;
    const auto open = [&](int row) {
      return (notAbove(all8(distance), load8<Float8>(depth + row * image_.stride)) & lanes) != 0;
    };
    while (!open(cells.first_row)) {
      if (++cells.first_row > cells.last_row) return true;
    }
    while (!open(cells.last_row)) --cells.last_row;
    return false;
  }

  bool tilesHide(const CellRange& cells, float distance) const {
    for (int row = cells.first_row / kTile; row <= cells.last_row / kTile; ++row) {
      for (int column = cells.first_column / kTile; column <= cells.last_column / kTile; ++column) {
        if (!(tileDepth(row, column) < distance)) return false;
      }
    }
    return true;
  }

  float tileDepth(int tile_row, int tile_column) const {
    const int tile = tile_row * image_.tile_stride + tile_column;
    if (image_.tile_changed[tile] == 0) return image_.tile_depth[tile];
    const int end = (tile_row + 1) * kTile < image_.height ? (tile_row + 1) * kTile : image_.height;
    Float8 farthest = all8(-1.0F);
    for (int row = tile_row * kTile; row < end; ++row) {
      const float* depth = image_.depth + row * image_.stride + tile_column * kTile;
      farthest = max8(farthest, load8<Float8>(depth));
    }
    image_.tile_changed[tile] = 0;
    return image_.tile_depth[tile] = most(farthest);
  }

  struct Splat {
    Float8 v[3], n[3];  // [m] in the sensor's frame, the same in all lanes
    Float8 nv;
    float radius2;  // [m^2]
    std::uint32_t surfel, leaf;
  };

  void renderLeaf(std::uint32_t leaf) {
    const Leaves leaves(tree_, tree_.nodes[map::parentOf(leaf)], map::slotOf(leaf), image_.eye,
                        image_.eye_rest);
    for (std::uint32_t first = 0; first < leaves.count(); first += 8) {
      renderBlock(leaves.block(first), leaves.count() - first, leaves.first() + first, leaf,
                  leaves.radius());
    }
  }

  void renderBlock(const Block& block, std::uint32_t count, std::uint32_t surfel,
                   std::uint32_t leaf, float radius) {
    const float ball = radius * 1.00002F;
    Float8 v[3], n[3];
    rotate(image_, block.v, v);
    rotate(image_, block.n, n);
    const Float8 nv = dot8(n, v);
    const Float8 distance = (sqrt8(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) - ball) * 0.99999F;
    const Float8 inverse = blend8(all8(0.0F), 1.0F / sqrt8(dot8(n, n)), block.planar);
    const Float8 unit[3] = {n[0] * inverse, n[1] * inverse, n[2] * inverse};
    const Footprints cells = footprintsOf(image_, v, unit, all8(ball));
    float distances[8], lanes[7][8];
    store8(distances, distance);
    for (int axis = 0; axis < 3; ++axis) {
      store8(lanes[axis], v[axis]);
      store8(lanes[axis + 3], n[axis]);
    }
    store8(lanes[6], nv);
    const unsigned planar = signs(block.planar);
    unsigned left = notAbove(distance, all8(image_.range_max));
    if (count < 8) left &= (1U << count) - 1;
    for (; left != 0; left &= left - 1) {
      const int i = __builtin_ctz(left);
      CellRange ranges[2];
      const int range_count = cells.get(i, ranges);
      for (int k = 0; k < range_count; ++k) {
        if (!inStrip(ranges[k]) || hidden(ranges[k], distances[i])) continue;
        Splat splat;
        for (int axis = 0; axis < 3; ++axis) {
          splat.v[axis] = all8(lanes[axis][i]);
          splat.n[axis] = all8(lanes[axis + 3][i]);
        }
        splat.nv = all8(lanes[6][i]);
        splat.radius2 = radius * radius;
        splat.surfel = surfel + static_cast<std::uint32_t>(i);
        splat.leaf = leaf;
        if ((planar >> i & 1U) != 0) {
          renderSplat<true>(splat, ranges[k]);
        } else {
          renderSplat<false>(splat, ranges[k]);
        }
      }
    }
  }

  // Tests eight cells at a time from the first on, harmlessly also those outside the range.
  template <bool planar>
  void renderSplat(const Splat& splat, const CellRange& cells) {
    if constexpr (kBlends) {
      keepSplat<planar>(splat, cells);
      return;
    }
    for (int row = cells.first_row; row <= cells.last_row; ++row) {
      for (int column = cells.first_column; column <= cells.last_column; column += 8) {
        renderCells<planar>(splat, row, column);
      }
    }
  }

  // Tests the rays of eight cells.
  template <bool planar>
  Meeting8 meetAt(const Splat& splat, int cell) const {
    Float8 d[3];
    for (int axis = 0; axis < 3; ++axis) d[axis] = load8<Float8>(image_.direction[axis] + cell);
    return planar ? meetPlane(splat.nv, dot8(splat.n, d), d, splat.v) : meetBall(d, splat.v);
  }

  template <bool planar>
  void renderCells(const Splat& splat, int row, int column) {
    const int cell = row * image_.stride + column;
    const Meeting8 meeting = meetAt<planar>(splat, cell);
    const Float8 range = meeting.t;
    const Float8 depth = load8<Float8>(image_.depth + cell);
    const Int8 met = (meeting.off2 <= splat.radius2) & (range > 0.0F) & (range <= depth);
    unsigned lanes = signs(met);
    if (lanes == 0) return;
    const Int8 nearer = met & (range < depth);
    if (signs(nearer) != lanes) {
      mergeEqual<planar>(splat, cell, lanes & ~signs(nearer));
      if (signs(nearer) == 0) return;
    }
    store8(image_.depth + cell, blend8(depth, range, nearer));
    put(image_.surfel + cell, splat.surfel, nearer);
    for (int axis = 0; axis < 3; ++axis) {
      float* normal = image_.normal[axis] + cell;
      const Float8 own = planar ? splat.n[axis] : all8(0.0F);
      store8(normal, blend8(load8<Float8>(normal), own, nearer));
    }
    const int tile = row / kTile * image_.tile_stride + column / kTile;
    image_.tile_changed[tile] = 1;
    image_.tile_changed[tile + 1] = 1;
  }

  template <bool planar>
  void keepSplat(const Splat& splat, const CellRange& cells) {
    ImageBlending& blending = image_.blending;
    if (blending.seen_count == blending.seen_capacity) blending.makeRoom(blending);
    SeenSurfel& seen = blending.seen[blending.seen_count];
    seen.surfel = splat.surfel;  // decides between equal ranges
    CellRange met = cells;
    met.last_row = -1;
    for (int row = cells.first_row; row <= cells.last_row; ++row) {
      bool is_met = false;
      for (int column = cells.first_column; column <= cells.last_column; column += 8) {
        is_met |= meetCells<planar>(splat, row, column);
      }
      if (!is_met) continue;
      if (met.last_row < 0) met.first_row = row;
      met.last_row = row;
    }
    if (met.last_row < 0) return;
    ++blending.seen_count;
    seen.leaf = splat.leaf;
    seen.inverse_radius2 = 1.0F / splat.radius2;
    seen.cells = met;
    const Float8* const n = splat.n;
    const float inverse = planar ? laneOf(1.0F / sqrt8(dot8(n, n)), 0) : 0.0F;
    for (int axis = 0; axis < 3; ++axis) {
      seen.v[axis] = laneOf(splat.v[axis], 0);
      seen.n[axis] = inverse * laneOf(n[axis], 0);
    }
    seen.nv = inverse * laneOf(splat.nv, 0);
  }

  // Whether any of eight cells meets the surfel to be kept, near enough to the cell's nearest so
  // far.
  template <bool planar>
  bool meetCells(const Splat& splat, int row, int column) {
    const ImageBlending& blending = image_.blending;
    const int cell = row * image_.stride + column;
    const Meeting8 meeting = meetAt<planar>(splat, cell);
    const Float8 range = meeting.t;
    const Float8 depth = load8<Float8>(image_.depth + cell);
    const Int8 met = (meeting.off2 <= splat.radius2) & (range > 0.0F) &
                     (range <= image_.range_max) & (range <= depth + depth_);
    if (signs(met) == 0) return false;
    const Int8 nearer = met & (range < depth);
    for (unsigned equal = signs(met & (range <= depth) & ~nearer); equal != 0; equal &= equal - 1) {
      std::uint32_t& first = blending.first[cell + __builtin_ctz(equal)];
      if (blending.seen[first].surfel > splat.surfel) first = blending.seen_count;
    }
    if (signs(nearer) == 0) return true;
    store8(image_.depth + cell, blend8(depth, range, nearer));
    put(blending.first + cell, blending.seen_count, nearer);
    const int tile = row / kTile * image_.tile_stride + column / kTile;
    image_.tile_changed[tile] = 1;
    image_.tile_changed[tile + 1] = 1;
    return true;
  }

  static void put(std::uint32_t* to, std::uint32_t value, Int8 mask) {
    const Int8 old = load8<Int8>(to);
    const Int8 next = (old & ~mask) | (static_cast<std::int32_t>(value) & mask);
    store8(to, next);
  }

  // At equal range the surfel with the lowest number wins.
  template <bool planar>
  void mergeEqual(const Splat& splat, int cell, unsigned lanes) const {
    for (; lanes != 0; lanes &= lanes - 1) {
      const int i = cell + __builtin_ctz(lanes);
      std::uint32_t& surfel = image_.surfel[i];
      if (surfel == ImageStrip::kNothing || splat.surfel >= surfel) continue;
      surfel = splat.surfel;
      for (int axis = 0; axis < 3; ++axis) {
        image_.normal[axis][i] = planar ? laneOf(splat.n[axis], 0) : 0.0F;
      }
    }
  }

  const map::SurfelTreeView& tree_;
  ImageStrip& image_;
  const float depth_;  // [m] kept behind the nearest
};

}  // namespace
}  // namespace marsim::lidar
