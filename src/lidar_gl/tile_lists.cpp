#include "tile_lists.hpp"

#include <algorithm>
#include <cmath>

#include "image_frame.hpp"
#include "leaf_blocks.hpp"

namespace marsim::lidar_gl {
namespace {

using lidar::CellRange;
using lidar::ImageStrip;
using lidar::SeenLeaf;
using lidar::TileRange;

constexpr int kSide = TileLists::kSide;
constexpr int kBins = 1024;  // of the range, that leaves are sorted by

LeafRecord recordOf(const map::SurfelTreeView& tree, const SeenLeaf& leaf) {
  const map::TreeNode& node = tree.nodes[leaf.node];
  const std::uint32_t begin = node.leafBegin(leaf.slot);
  LeafRecord record{};
  record.first = node.leaf_base + begin;
  record.shape = (node.leafEnd(leaf.slot) - begin) << 24;
  record.child = leaf.node << 3 | static_cast<std::uint32_t>(leaf.slot);
  for (int axis = 0; axis < 3; ++axis) {
    const int low = node.lower[axis][leaf.slot], high = node.upper[axis][leaf.slot];
    record.lower[axis] =
        node.origin[axis] + static_cast<float>(low) * lidar::powerOfTwo(node.exponent[axis]);
    const int bits = 32 - __builtin_clz(static_cast<unsigned>(high - low) | 1U);
    const int field = node.exponent[axis] + bits - map::kPositionBits;
    record.shape |= static_cast<std::uint32_t>(field) << (8 * axis);
  }
  return record;
}

// Of the tiles that a leaf's cells lie in, up to two ranges; returns their number.
int tilesOf(const SeenLeaf& leaf, TileRange* ranges) {
  for (int k = 0; k < leaf.range_count; ++k) {
    const CellRange& cells = leaf.cells[k];
    ranges[k] = {cells.first_row / kSide, cells.last_row / kSide, cells.first_column / kSide,
                 cells.last_column / kSide};
  }
  // Two ranges may share a tile, which is to have the leaf once.
  if (leaf.range_count == 2 && ranges[0].first_column <= ranges[1].last_column &&
      ranges[1].first_column <= ranges[0].last_column) {
    ranges[0].first_column = std::min(ranges[0].first_column, ranges[1].first_column);
    ranges[0].last_column = std::max(ranges[0].last_column, ranges[1].last_column);
    return 1;
  }
  return leaf.range_count;
}

// Of a distance, from below.
std::uint32_t stepOf(float distance, float range_max, int steps) {
  const auto step = static_cast<int>(distance / range_max * static_cast<float>(steps)) - 1;
  return static_cast<std::uint32_t>(std::clamp(step, 0, steps - 1));
}

}  // namespace

TileLists::TileLists(const lidar::ImageGrid& grid)
    : grid_(grid),
      directions_(grid),
      footprints_(grid),
      columns_((grid.width + kSide - 1) / kSide),
      rows_((grid.height + kSide - 1) / kSide) {
  measureCones();
}

void TileLists::measureCones() {
  double cosine = 1.0;
  std::vector<Eigen::Vector3d> rays;
  for (int tile = 0; tile < columns_ * rows_; ++tile) {
    const int row = tile / columns_ * kSide, column = tile % columns_ * kSide;
    rays.clear();
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (int r = row; r < std::min(row + kSide, grid_.height); ++r) {
      for (int c = column; c < std::min(column + kSide, grid_.width); ++c) {
        rays.push_back(directions_.at(r, c));
        sum += rays.back();
      }
    }
    const Eigen::Vector3d axis = sum.norm() > 1e-6 ? sum.normalized() : rays.front();
    for (const Eigen::Vector3d& ray : rays) cosine = std::min(cosine, ray.dot(axis));
    axes_.push_back(axis.cast<float>());
  }
  constexpr double kWidest = 0.3;  // its cosine
  whole_ = cosine < kWidest;
  if (whole_) return;
  secant_ = static_cast<float>(1.0 / cosine);
  // Rounding of directions is far below this.
  tangent_ = static_cast<float>(std::sqrt(std::max(1.0 - cosine * cosine, 0.0)) / cosine + 1e-5);
}

void TileLists::make(const map::SurfelTreeView& tree, const Kernels& kernels, const Pose& X_WS,
                     float range_max, const lidar::Workers& workers) {
  const Eigen::Matrix3f R_WS = X_WS.q.toRotationMatrix().cast<float>();
  for (int k = 0; k < 3; ++k) {
    turned_[k].resize(axes_.size());
    for (std::size_t i = 0; i < axes_.size(); ++i) turned_[k][i] = R_WS.row(k).dot(axes_[i]);
  }
  View view{tree, kernels, {}, {}};
  view.cones = {{turned_[0].data(), turned_[1].data(), turned_[2].data()},
                tangent_,
                secant_,
                whole_,
                columns_};
  view.strip.width = grid_.width;
  view.strip.height = grid_.height;
  view.strip.range_max = range_max;
  footprints_.describe(view.strip);
  lidar::placeSensor(X_WS, Eigen::Vector3d(tree.header.origin), view.strip);

  // A few strips a thread even out their work; every strip walks the upper tree again.
  const int threads = workers.count();
  const int wanted = threads == 1 ? 1 : std::min(3 * threads, rows_);
  const int rows = (rows_ + wanted - 1) / wanted;
  strips_.resize(static_cast<std::size_t>((rows_ + rows - 1) / rows));
  workers.forRanges(strips_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      strips_[i].first_row = static_cast<int>(i) * rows;
      strips_[i].end_row = std::min(strips_[i].first_row + rows, rows_);
      makeStrip(view, strips_[i]);
    }
  });
  leaf_count_ = entry_count_ = 0;
  for (Strip& strip : strips_) {
    strip.leaves_before = leaf_count_;
    strip.entries_before = entry_count_;
    leaf_count_ += strip.leaves.size();
    entry_count_ += strip.entries.size();
  }
}

void TileLists::makeStrip(const View& view, Strip& strip) const {
  ImageStrip rows = view.strip;
  rows.first_row = strip.first_row * kSide;
  rows.end_row = std::min(strip.end_row * kSide, grid_.height);
  strip.seen.clear();
  const auto take = [](void* to, const SeenLeaf& leaf) {
    static_cast<Strip*>(to)->seen.push_back(leaf);
  };
  view.kernels.leaves(view.tree, rows, {take, &strip});
  sortLeaves(view, strip);
  maskLeaves(view, strip);
  fillTiles(view, strip);
}

void TileLists::sortLeaves(const View& view, Strip& strip) {
  const auto binOf = [&](const SeenLeaf& leaf) {
    return stepOf(leaf.distance, view.strip.range_max, kBins);
  };
  strip.ends.assign(kBins + 1, 0);
  for (const SeenLeaf& leaf : strip.seen) ++strip.ends[binOf(leaf) + 1];
  for (std::size_t i = 0; i < kBins; ++i) strip.ends[i + 1] += strip.ends[i];
  strip.order.resize(strip.seen.size());
  strip.leaves.resize(strip.seen.size());
  for (std::size_t i = 0; i < strip.seen.size(); ++i) {
    const std::uint32_t at = strip.ends[binOf(strip.seen[i])]++;
    strip.order[at] = static_cast<std::uint32_t>(i);
    strip.leaves[at] = recordOf(view.tree, strip.seen[i]);
  }
}

void TileLists::maskLeaves(const View& view, Strip& strip) const {
  strip.masks_of_leaf.clear();
  std::size_t used = 0;
  for (const std::uint32_t number : strip.order) {
    const SeenLeaf& leaf = strip.seen[number];
    TileRange ranges[2];
    const int count = tilesOf(leaf, ranges);
    for (int k = 0; k < count; ++k) {
      const TileRange& tiles = ranges[k];
      const int most =
          (tiles.last_row - tiles.first_row + 1) * (tiles.last_column - tiles.first_column + 1);
      const std::size_t needed = used + static_cast<std::size_t>(most);
      if (strip.masks.size() < needed) strip.masks.resize(2 * needed);
      used += view.kernels.masks(view.tree, view.strip, leaf, view.cones, tiles,
                                 strip.masks.data() + used);
    }
    strip.masks_of_leaf.push_back(used);
  }
}

void TileLists::fillTiles(const View& view, Strip& strip) const {
  const auto first_tile = static_cast<std::uint32_t>(strip.first_row * columns_);
  const auto tiles = static_cast<std::size_t>((strip.end_row - strip.first_row) * columns_);
  const std::size_t used = strip.masks_of_leaf.empty() ? 0 : strip.masks_of_leaf.back();
  strip.begins.assign(tiles + 1, 0);
  for (std::size_t i = 0; i < used; ++i) ++strip.begins[strip.masks[i].tile - first_tile + 1];
  for (std::size_t i = 0; i < tiles; ++i) {
    strip.begins[i + 1] = strip.begins[i] + (strip.begins[i + 1] + 1) / 2 * 2;
  }
  strip.entries.resize(strip.begins.back());
  strip.ends.assign(strip.begins.begin(), strip.begins.end() - 1);
  std::size_t i = 0;
  for (std::size_t leaf = 0; leaf < strip.order.size(); ++leaf) {
    const float distance = strip.seen[strip.order[leaf]].distance;
    const std::uint32_t step = stepOf(distance, view.strip.range_max, kSteps) << 16;
    for (; i < strip.masks_of_leaf[leaf]; ++i) {
      const lidar::TileMask& mask = strip.masks[i];
      strip.entries[strip.ends[mask.tile - first_tile]++] = {static_cast<std::uint32_t>(leaf),
                                                             mask.mask | step};
    }
  }
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    if (strip.ends[tile] % 2 != 0) strip.entries[strip.ends[tile]] = {TileEntry::kNone, 0};
  }
}

}  // namespace marsim::lidar_gl
