#include "lidar_gl/tile_lists.hpp"

#include <algorithm>
#include <cstring>

#include "lidar/cast/leaf_blocks.hpp"
#include "lidar/cast/vector8.hpp"
#include "lidar/image/image_frame.hpp"

namespace marsim::lidar_gl {
namespace {

using lidar::CellRange;
using lidar::ImageStrip;
using lidar::PlacedSurfels;
using lidar::SeenLeaf;

constexpr int kSide = TileLists::kSide;
constexpr int kBins = TileLists::kBins;

LeafRecord recordOf(const map::SurfelTreeView& tree, const SeenLeaf& leaf) {
  const map::TreeNode& node = tree.nodes[leaf.node];
  const std::uint32_t begin = node.leafBegin(leaf.slot);
  LeafRecord record{};
  record.first = node.leaf_base + begin;
  record.shape = (node.leafEnd(leaf.slot) - begin) << 24;
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

float distanceOf(const TileLists::Part& part, std::size_t number) {
  float distance;
  std::memcpy(&distance, part.field(PlacedSurfels::kDistance) + number, sizeof(distance));
  return distance;
}

// Those of a tile's side from the first to the last cell, which may lie beyond it.
unsigned bitsOf(int first, int last) {
  const unsigned from = first <= 0 ? 0xfU : 0xfU << first;
  return from & (last >= kSide - 1 ? 0xfU : (2U << last) - 1);
}

// Within the strip; there may be none.
CellRange cellsOf(const TileLists::Strip& strip, const TileLists::Part& part, std::size_t number) {
  const std::uint32_t rows = part.field(PlacedSurfels::kRows)[number];
  const std::uint32_t columns = part.field(PlacedSurfels::kColumns)[number];
  return {std::max(static_cast<int>(rows & 0xffffU), strip.first_row * kSide),
          std::min(static_cast<int>(rows >> 16), strip.end_row * kSide - 1),
          static_cast<int>(columns & 0xffffU), static_cast<int>(columns >> 16)};
}

// From below.
std::uint32_t binOf(float distance, float bins_per_meter) {
  return static_cast<std::uint32_t>(
      std::clamp(static_cast<int>(distance * bins_per_meter), 0, kBins - 1));
}

}  // namespace

void TileLists::Part::clear(int fields, bool sums) {
  field_count_ = fields;
  sums_ = sums;
  leaves_.clear();
  if (sums) leaves_.push_back({});
  for (int k = 0; k < field_count_; ++k) {
    if (fields_[k].empty()) fields_[k].resize(1);
    fields_[k][0] = 0;
  }
  count_ = 1;
}

void TileLists::Part::add(const map::SurfelTreeView& tree, const SeenLeaf& leaf,
                          const ImageStrip& view, lidar::PlaceKernel kernel) {
  if (fields_[0].size() < count_ + PlacedSurfels::kRoom) {
    for (int k = 0; k < field_count_; ++k) fields_[k].resize(2 * (count_ + PlacedSurfels::kRoom));
  }
  PlacedSurfels to{};
  for (int k = 0; k < field_count_; ++k) to.fields[k] = fields_[k].data() + count_;
  const map::TreeNode& node = tree.nodes[leaf.node];
  to.added = sums_ ? static_cast<std::uint32_t>(leaves_.size()) << 4
                   : node.leaf_base + node.leafBegin(leaf.slot);
  const std::size_t added = kernel(tree, view, leaf, to);
  if (sums_ && added > 0) leaves_.push_back(recordOf(tree, leaf));
  count_ += added;
}

TileLists::TileLists(const lidar::ImageGrid& grid)
    : grid_(grid),
      directions_(grid),
      footprints_(grid),
      columns_((grid.width + kSide - 1) / kSide),
      rows_((grid.height + kSide - 1) / kSide),
      stride_(columns_ * kSide + 8),
      farthest_(static_cast<std::size_t>(stride_ * grid.height), -1.0F),
      tile_farthest_(static_cast<std::size_t>(columns_ * rows_)) {}

void TileLists::begin(const map::SurfelTreeView& tree, const Kernels& kernels, const Pose& X_WS,
                      float range_max, std::size_t leaves_a_pass, const lidar::Workers& workers) {
  tree_ = tree;
  kernels_ = kernels;
  range_max_ = range_max;
  made_ = 0;
  ImageStrip view{};
  view.width = grid_.width;
  view.height = grid_.height;
  view.range_max = range_max;
  footprints_.describe(view);
  lidar::placeSensor(X_WS, Eigen::Vector3d(tree.header.origin), view);

  // A few strips a thread even out their work; every strip walks the upper tree again.
  const int threads = workers.count();
  const int wanted = threads == 1 ? 1 : std::min(4 * threads, rows_);
  const int rows = (rows_ + wanted - 1) / wanted;
  strips_.resize(static_cast<std::size_t>((rows_ + rows - 1) / rows));
  workers.forRanges(strips_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Strip& strip = strips_[i];
      strip.first_row = static_cast<int>(i) * rows;
      strip.end_row = std::min(strip.first_row + rows, rows_);
      strip.view = view;
      strip.view.first_row = strip.first_row * kSide;
      strip.view.end_row = std::min(strip.end_row * kSide, grid_.height);
      findLeaves(strip);
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
      if (made_ > 0) findFarthest(strips_[i]);
      placeLeaves(strips_[i]);
      sortSurfels(strips_[i]);
      if (made_ == 0) {
        fillTiles<true>(strips_[i]);
      } else {
        fillTiles<false>(strips_[i]);
      }
    }
  });
  count();
}

void TileLists::count() {
  std::size_t leaves = leaves_before_[made_], surfels = surfels_before_[made_];
  std::size_t fours = fours_before_[made_];
  for (Strip& strip : strips_) {
    Part& part = strip.parts[made_];
    part.leaves_before = leaves;
    part.surfels_before = surfels;
    part.fours_before = fours;
    leaves += part.leaves().size();
    surfels += part.surfelCount();
    fours += part.begins.back();
  }
  ++made_;
  leaves_before_[made_] = leaves;
  surfels_before_[made_] = surfels;
  fours_before_[made_] = fours;
}

void TileLists::findLeaves(Strip& strip) const {
  strip.seen.clear();
  const auto take = [](void* to, const SeenLeaf& leaf) {
    static_cast<Strip*>(to)->seen.push_back(leaf);
  };
  kernels_.leaves(tree_, strip.view, {take, &strip});
}

bool TileLists::isHidden(const CellRange& cells, float distance) const {
  for (int row = cells.first_row; row <= cells.last_row; ++row) {
    const float* farthest = farthest_.data() + row * stride_;
    for (int column = cells.first_column; column <= cells.last_column; column += 8) {
      const int left = cells.last_column - column;
      const unsigned lanes = left < 7 ? (2U << left) - 1 : 0xffU;
      const auto depths = lidar::load8<lidar::Float8>(farthest + column);
      if ((lidar::notAbove(lidar::all8(distance), depths) & lanes) != 0) return false;
    }
  }
  return true;
}

bool TileLists::isHidden(const SeenLeaf& leaf) const {
  for (int k = 0; k < leaf.range_count; ++k) {
    if (!isHidden(leaf.cells[k], leaf.distance)) return false;
  }
  return true;
}

void TileLists::findFarthest(Strip& strip) {
  for (int tile_row = strip.first_row; tile_row < strip.end_row; ++tile_row) {
    for (int column = 0; column < columns_; ++column) {
      float farthest = -1.0F;
      for (int row = tile_row * kSide; row < std::min((tile_row + 1) * kSide, grid_.height);
           ++row) {
        const float* cells = farthest_.data() + row * stride_ + column * kSide;
        farthest = std::max({farthest, cells[0], cells[1], cells[2], cells[3]});
      }
      tile_farthest_[static_cast<std::size_t>(tile_row * columns_ + column)] = farthest;
    }
  }
}

// Passes get longer: the nearest leaves hide most of the rest.
void TileLists::splitPasses(Strip& strip) const {
  strip.ends.assign(kBins, 0);
  const float bins_per_meter = kBins / range_max_;
  for (const SeenLeaf& leaf : strip.seen) ++strip.ends[binOf(leaf.distance, bins_per_meter)];
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
void TileLists::placeLeaves(Strip& strip) const {
  Part& part = strip.parts[made_];
  const bool compact = tree_.header.storage == map::SurfelStorage::kCompact;
  const int words = compact ? lidar::CompactLeaves::kPlacedWords : lidar::FloatLeaves::kPlacedWords;
  part.clear(PlacedSurfels::kWords + words, kernels_.sums);
  const float bins_per_meter = kBins / range_max_;
  const std::uint32_t begin = made_ == 0 ? 0 : strip.pass_ends[made_ - 1];
  const std::uint32_t end = strip.pass_ends[made_];
  for (const SeenLeaf& leaf : strip.seen) {
    const std::uint32_t bin = binOf(leaf.distance, bins_per_meter);
    if (bin < begin || bin >= end || (made_ > 0 && isHidden(leaf))) continue;
    part.add(tree_, leaf, strip.view, kernels_.place);
  }
}

void TileLists::sortSurfels(Strip& strip) const {
  constexpr std::uint16_t kHidden = kBins;
  const float bins_per_meter = kBins / range_max_;
  const Part& part = strip.parts[made_];
  const std::size_t count = part.surfelCount();
  strip.bins.resize(count);
  std::uint32_t ends[kBins + 1] = {};
  for (std::size_t i = 1; i < count; ++i) {
    const float distance = distanceOf(part, i);
    const bool hidden = made_ > 0 && isHidden(cellsOf(strip, part, i), distance);
    strip.bins[i] = hidden ? kHidden : static_cast<std::uint16_t>(binOf(distance, bins_per_meter));
    if (!hidden) ++ends[strip.bins[i] + 1];
  }
  for (std::size_t i = 0; i < kBins; ++i) ends[i + 1] += ends[i];
  strip.nearest_first.resize(ends[kBins]);
  Strip::ListedSurfel* to = strip.nearest_first.data();
  for (std::size_t i = 1; i < count; ++i) {
    if (strip.bins[i] == kHidden) continue;
    to[ends[strip.bins[i]]++] = {distanceOf(part, i), static_cast<std::uint32_t>(i),
                                 cellsOf(strip, part, i)};
  }
}

// work(tile of the strip, surfel, row and column of tiles), nearest first; kAll: hidden ones, too.
template <bool kAll, class Work>
void TileLists::forTiles(const Strip& strip, const Work& work) const {
  const int columns = columns_;
  const float* farthest = tile_farthest_.data() + strip.first_row * columns;
  for (const Strip::ListedSurfel& surfel : strip.nearest_first) {
    const CellRange& cells = surfel.cells;
    for (int row = cells.first_row / kSide; row <= cells.last_row / kSide; ++row) {
      for (int column = cells.first_column / kSide; column <= cells.last_column / kSide; ++column) {
        const int tile = (row - strip.first_row) * columns + column;
        if (kAll || surfel.distance <= farthest[tile]) work(tile, surfel, row, column);
      }
    }
  }
}

template <bool kAll>
void TileLists::fillTiles(Strip& strip) const {
  Part& part = strip.parts[made_];
  const auto tiles = static_cast<std::size_t>((strip.end_row - strip.first_row) * columns_);
  strip.ends.assign(tiles, 0);
  std::uint32_t* ends = strip.ends.data();
  forTiles<kAll>(strip, [=](int tile, const Strip::ListedSurfel&, int, int) { ++ends[tile]; });
  part.begins.resize(tiles + 1);
  part.begins[0] = 0;
  for (std::size_t i = 0; i < tiles; ++i) {
    part.begins[i + 1] = part.begins[i] + static_cast<std::uint32_t>((ends[i] + kFour - 1) / kFour);
    ends[i] = static_cast<std::uint32_t>(kFour) * part.begins[i];
  }
  const std::size_t size = kFour * part.begins.back();
  part.numbers.resize(size);
  std::uint32_t* numbers = part.numbers.data();
  if (kernels_.sums) {
    part.cells.assign(size, 0);
    std::uint8_t* bits = part.cells.data();
    forTiles<kAll>(strip, [=](int tile, const Strip::ListedSurfel& surfel, int row, int column) {
      const CellRange& cells = surfel.cells;
      const unsigned rows = bitsOf(cells.first_row - row * kSide, cells.last_row - row * kSide);
      const unsigned columns =
          bitsOf(cells.first_column - column * kSide, cells.last_column - column * kSide);
      numbers[ends[tile]] = surfel.number;
      bits[ends[tile]++] = static_cast<std::uint8_t>(rows | columns << kSide);
    });
  } else {
    forTiles<kAll>(strip, [=](int tile, const Strip::ListedSurfel& surfel, int, int) {
      numbers[ends[tile]++] = surfel.number;
    });
  }
  for (std::size_t i = 0; i < tiles; ++i) {
    std::fill(numbers + ends[i], numbers + kFour * part.begins[i + 1], 0U);
  }
}

}  // namespace marsim::lidar_gl
