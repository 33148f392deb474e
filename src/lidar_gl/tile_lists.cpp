#include "tile_lists.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
std::uint32_t stepOf(float distance, float steps_per_meter, int steps) {
  const auto step = static_cast<int>(distance * steps_per_meter) - 1;
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

void TileLists::begin(const map::SurfelTreeView& tree, const Kernels& kernels, const Pose& X_WS,
                      float range_max, std::size_t leaves_a_pass, const lidar::Workers& workers) {
  const Eigen::Matrix3f R_WS = X_WS.q.toRotationMatrix().cast<float>();
  for (int k = 0; k < 3; ++k) {
    turned_[k].resize(axes_.size());
    for (std::size_t i = 0; i < axes_.size(); ++i) turned_[k][i] = R_WS.row(k).dot(axes_[i]);
  }
  farthest_.assign(axes_.size(), std::numeric_limits<float>::infinity());
  view_ = View{tree, kernels, {}, {}};
  view_.cones = {{turned_[0].data(), turned_[1].data(), turned_[2].data()},
                 tangent_,
                 secant_,
                 whole_,
                 columns_,
                 farthest_.data()};
  view_.strip.width = grid_.width;
  view_.strip.height = grid_.height;
  view_.strip.range_max = range_max;
  footprints_.describe(view_.strip);
  lidar::placeSensor(X_WS, Eigen::Vector3d(tree.header.origin), view_.strip);
  made_ = 0;

  // A few strips a thread even out their work; every strip walks the upper tree again.
  const int threads = workers.count();
  const int wanted = threads == 1 ? 1 : std::min(3 * threads, rows_);
  const int rows = (rows_ + wanted - 1) / wanted;
  strips_.resize(static_cast<std::size_t>((rows_ + rows - 1) / rows));
  workers.forRanges(strips_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      strips_[i].first_row = static_cast<int>(i) * rows;
      strips_[i].end_row = std::min(strips_[i].first_row + rows, rows_);
      findLeaves(strips_[i]);
    }
  });
  std::size_t leaves = 0;
  for (const Strip& strip : strips_) leaves += strip.seen.size();
  const std::size_t passes = 1 + leaves / std::max<std::size_t>(leaves_a_pass, 1);
  passes_ = static_cast<int>(std::min(passes, static_cast<std::size_t>(kMostPasses)));
  for (Strip& strip : strips_) splitPasses(strip);
  next(workers);
}

void TileLists::next(const lidar::Workers& workers) {
  workers.forRanges(strips_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      maskLeaves(strips_[i]);
      sortLeaves(strips_[i]);
      fillTiles(strips_[i]);
    }
  });
  count();
}

void TileLists::count() {
  std::size_t leaves = leaves_before_[made_], entries = entries_before_[made_];
  for (Strip& strip : strips_) {
    Part& part = strip.parts[made_];
    part.leaves_before = leaves;
    part.entries_before = entries;
    leaves += part.leaves.size();
    entries += part.entries.size();
  }
  ++made_;
  leaves_before_[made_] = leaves;
  entries_before_[made_] = entries;
}

void TileLists::findLeaves(Strip& strip) const {
  ImageStrip rows = view_.strip;
  rows.first_row = strip.first_row * kSide;
  rows.end_row = std::min(strip.end_row * kSide, grid_.height);
  strip.seen.clear();
  const auto take = [](void* to, const SeenLeaf& leaf) {
    static_cast<Strip*>(to)->seen.push_back(leaf);
  };
  view_.kernels.leaves(view_.tree, rows, {take, &strip});
}

std::uint32_t TileLists::binOf(float distance) const {
  return stepOf(distance, kBins / view_.strip.range_max, kBins);
}

bool TileLists::isHidden(const SeenLeaf& leaf, const TileRange& tiles) const {
  for (int row = tiles.first_row; row <= tiles.last_row; ++row) {
    for (int column = tiles.first_column; column <= tiles.last_column; ++column) {
      const auto tile = static_cast<std::size_t>(row * columns_ + column);
      if (leaf.distance <= farthest_[tile]) return false;
    }
  }
  return true;
}

// Passes get longer: the nearest leaves hide most of the rest.
void TileLists::splitPasses(Strip& strip) const {
  strip.ends.assign(kBins, 0);
  for (const SeenLeaf& leaf : strip.seen) ++strip.ends[binOf(leaf.distance)];
  std::size_t nearer = 0;
  int pass = 0;
  for (std::uint32_t bin = 0; bin < kBins; ++bin) {
    nearer += strip.ends[bin];
    while (pass + 1 < passes_ && nearer >= strip.seen.size() >> (passes_ - 1 - pass)) {
      strip.pass_ends[pass++] = bin + 1;
    }
  }
  while (pass < passes_) strip.pass_ends[pass++] = kBins;
}

// In the order of the tree, as they lie in memory.
void TileLists::maskLeaves(Strip& strip) const {
  Part& part = strip.parts[made_];
  part.leaves.clear();
  strip.kept.clear();
  std::size_t used = 0;
  const std::uint32_t begin = made_ == 0 ? 0 : strip.pass_ends[made_ - 1];
  const std::uint32_t end = strip.pass_ends[made_];
  for (const SeenLeaf& leaf : strip.seen) {
    const std::uint32_t bin = binOf(leaf.distance);
    if (bin < begin || bin >= end) continue;
    TileRange ranges[2];
    const int count = tilesOf(leaf, ranges);
    const std::size_t before = used;
    for (int k = 0; k < count; ++k) {
      const TileRange& tiles = ranges[k];
      if (isHidden(leaf, tiles)) continue;
      const int most =
          (tiles.last_row - tiles.first_row + 1) * (tiles.last_column - tiles.first_column + 1);
      const std::size_t needed = used + static_cast<std::size_t>(most);
      if (strip.masks.size() < needed) strip.masks.resize(2 * needed);
      used += view_.kernels.masks(view_.tree, view_.strip, leaf, view_.cones, tiles,
                                  strip.masks.data() + used);
    }
    if (used == before) continue;
    strip.kept.push_back(
        {leaf.distance, static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(used)});
    part.leaves.push_back(recordOf(view_.tree, leaf));
  }
}

void TileLists::sortLeaves(Strip& strip) const {
  strip.ends.assign(kBins + 1, 0);
  for (const KeptLeaf& leaf : strip.kept) ++strip.ends[binOf(leaf.distance) + 1];
  for (std::size_t i = 0; i < kBins; ++i) strip.ends[i + 1] += strip.ends[i];
  strip.order.resize(strip.kept.size());
  for (std::size_t i = 0; i < strip.kept.size(); ++i) {
    strip.order[strip.ends[binOf(strip.kept[i].distance)]++] = static_cast<std::uint32_t>(i);
  }
}

void TileLists::fillTiles(Strip& strip) const {
  Part& part = strip.parts[made_];
  const auto first_tile = static_cast<std::uint32_t>(strip.first_row * columns_);
  const auto tiles = static_cast<std::size_t>((strip.end_row - strip.first_row) * columns_);
  const std::size_t used = strip.kept.empty() ? 0 : strip.kept.back().end;
  part.begins.assign(tiles + 1, 0);
  for (std::size_t i = 0; i < used; ++i) ++part.begins[strip.masks[i].tile - first_tile + 1];
  for (std::size_t i = 0; i < tiles; ++i) {
    part.begins[i + 1] = part.begins[i] + (part.begins[i + 1] + 1) / 2 * 2;
  }
  part.entries.resize(part.begins.back());
  strip.ends.assign(part.begins.begin(), part.begins.end() - 1);
  const float steps_per_meter = kSteps / view_.strip.range_max;
  for (const std::uint32_t number : strip.order) {
    const KeptLeaf& leaf = strip.kept[number];
    const std::uint32_t step = stepOf(leaf.distance, steps_per_meter, kSteps) << 16;
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
      const lidar::TileMask& mask = strip.masks[i];
      part.entries[strip.ends[mask.tile - first_tile]++] = {number, mask.mask | step};
    }
  }
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    if (strip.ends[tile] % 2 != 0) part.entries[strip.ends[tile]] = {TileEntry::kNone, 0};
  }
}

}  // namespace marsim::lidar_gl
