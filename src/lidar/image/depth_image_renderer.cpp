// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "lidar/cast/image_directions.hpp"
#include "lidar/cast/image_footprint.hpp"
#include "lidar/cast/moving_objects.hpp"
#include "lidar/cast/simd_level.hpp"
#include "lidar/cast/workers.hpp"
#include "lidar/image/pool.hpp"
#include "lidar/image/project_kernel.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {
namespace {

// [m] Finer maps have so many surfels a cell that casting a ray through each cell is faster.
constexpr double kFinestProjected = 0.05;

constexpr int kTile = ImageStrip::kTile;  // cells

// [cells] of a strip, in whole rows of tiles: its arrays fit into a core's cache.
constexpr int kStripCells = 1 << 14;

// Arrays of a strip of an image, see ImageStrip.
class StripArrays {
 public:
  // `blends`: with those for blending.
  StripArrays(int rows, int stride, bool blends);

  // Sets the arrays of a strip of some width and height and clears them. range_max [m] > 0.
  void clear(float range_max, ImageStrip& strip);
  // Prepares a strip for blending; `colours`: null if no looks are wanted.
  void blend(const map::Blending& blending, const SurfelColours* colours, ImageStrip& strip);

 private:
  std::vector<float> depth_, normal_[3], tile_depth_;
  std::vector<std::uint32_t> surfel_;
  std::vector<std::uint8_t> tile_changed_;
  // For blended surfels only.
  std::vector<float> weights_, mean_, largest_, colour_[3], look_normal_[3];
  std::vector<std::uint32_t> first_;
  std::vector<SeenSurfel> seen_;
};

StripArrays::StripArrays(int rows, int stride, bool blends) {
  const auto cells = static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride);
  depth_.resize(cells);
  surfel_.resize(cells);
  const auto tile_rows = static_cast<std::size_t>((rows + kTile - 1) / kTile);
  tile_depth_.resize(tile_rows * static_cast<std::size_t>(stride / kTile + 1));
  tile_changed_.resize(tile_depth_.size());
  for (std::vector<float>& axis : normal_) axis.resize(cells);
  if (!blends) return;
  for (std::vector<float>* values : {&weights_, &mean_, &largest_}) values->resize(cells);
  first_.resize(cells);
}

void StripArrays::clear(float range_max, ImageStrip& strip) {
  // Just above the maximum, at which a hit still counts.
  const float empty = std::nextafter(range_max, std::numeric_limits<float>::infinity());
  for (int row = 0; row < strip.height; ++row) {
    const auto begin = depth_.begin() + static_cast<std::ptrdiff_t>(row) * strip.stride;
    std::fill(begin, begin + strip.width, empty);
    std::fill(begin + strip.width, begin + strip.stride, -1.0F);
  }
  std::fill(surfel_.begin(), surfel_.end(), ImageStrip::kNothing);
  std::fill(tile_depth_.begin(), tile_depth_.end(), empty);
  std::fill(tile_changed_.begin(), tile_changed_.end(), std::uint8_t{0});
  for (int axis = 0; axis < 3; ++axis) strip.normal[axis] = normal_[axis].data();
  strip.depth = depth_.data();
  strip.surfel = surfel_.data();
  strip.tile_depth = tile_depth_.data();
  strip.tile_changed = tile_changed_.data();
  strip.tile_stride = strip.stride / kTile + 1;
  strip.range_max = range_max;
}

void makeRoom(ImageBlending& blending) {
  auto& seen = *static_cast<std::vector<SeenSurfel>*>(blending.owner);
  seen.resize(std::max<std::size_t>(2 * seen.size(), 4096));
  blending.seen = seen.data();
  blending.seen_capacity = static_cast<std::uint32_t>(seen.size());
}

void StripArrays::blend(const map::Blending& blending, const SurfelColours* colours,
                        ImageStrip& strip) {
  std::fill(first_.begin(), first_.end(), ImageStrip::kNothing);
  ImageBlending& to = strip.blending;
  to.depth = blending.depth;
  to.min_cosine = blending.min_cosine;
  to.max_offset = blending.max_offset;
  to.makeRoom = makeRoom;
  to.owner = &seen_;
  to.seen = seen_.data();
  to.seen_capacity = static_cast<std::uint32_t>(seen_.size());
  to.first = first_.data();
  to.weights = weights_.data();
  to.mean = mean_.data();
  to.largest = largest_.data();
  if (colours == nullptr) return;
  to.looks.step = colours->step;
  to.looks.to_back = colours->to_back;
  for (int i = 0; i < 3; ++i) {
    colour_[i].resize(depth_.size());
    look_normal_[i].resize(depth_.size());
    to.looks.bytes[i] = colours->bytes[i];
    to.looks.values[i] = colours->values[i];
    to.looks.colour[i] = colour_[i].data();
    to.looks.normal[i] = look_normal_[i].data();
  }
}

// Directions and footprints of a grid, and arrays for the strips of its images.
class ImageFrame {
 public:
  ImageFrame(const ImageGrid& grid, bool blends)
      : grid_(grid), directions_(grid), footprints_(grid), blends_(blends) {}

  const ImageGrid& grid() const { return grid_; }
  // Rows of a strip; the last one of the image may have fewer.
  int stripRows() const { return std::max(kStripCells / stride() / kTile, 1) * kTile; }

  std::unique_ptr<StripArrays> takeArrays() {
    return arrays_.take(
        [](const StripArrays&) { return true; },
        [&] { return std::make_unique<StripArrays>(stripRows(), stride(), blends_); });
  }
  void giveBack(std::unique_ptr<StripArrays> arrays) { arrays_.giveBack(std::move(arrays)); }

  // A strip without its arrays, pose and tree, from a row on.
  ImageStrip strip(int first_row) const;
  static int footprintOf(const ImageStrip& strip, const float* centre, float radius,
                         CellRange* ranges);

 private:
  int stride() const { return static_cast<int>(directions_.stride()); }

  const ImageGrid grid_;
  const ImageDirections directions_;
  const FootprintFinder footprints_;
  const bool blends_;
  Pool<StripArrays> arrays_{256};  // one a thread
};

int ImageFrame::footprintOf(const ImageStrip& strip, const float* centre, float radius,
                            CellRange* ranges) {
  const auto& frame = *static_cast<const ImageFrame*>(strip.owner);
  const Footprint cells =
      frame.footprints_.of(Eigen::Vector3f(centre[0], centre[1], centre[2]), radius);
  if (cells.empty()) return 0;
  for (int i = 0; i < cells.run_count; ++i) {
    ranges[i] = {cells.first_row - strip.first_row, cells.last_row - strip.first_row,
                 cells.runs[i].first, cells.runs[i].last};
  }
  return cells.run_count;
}

ImageStrip ImageFrame::strip(int first_row) const {
  ImageStrip strip{};
  strip.first_row = first_row;
  strip.width = grid_.width;
  strip.height = std::min(stripRows(), grid_.height - first_row);
  strip.stride = stride();
  const float* directions[3] = {directions_.x(), directions_.y(), directions_.z()};
  for (int axis = 0; axis < 3; ++axis) {
    strip.direction[axis] = directions[axis] + directions_.cell(first_row, 0);
  }
  strip.scale = footprints_.scale();
  if (strip.scale.spherical) {
    strip.scale.top -= static_cast<float>(first_row) / strip.scale.rows_per_rad;
  } else {
    strip.scale.cy -= static_cast<float>(first_row);
  }
  strip.footprint = footprintOf;
  strip.owner = this;
  return strip;
}

bool sameGrid(const ImageGrid& a, const ImageGrid& b) {
  const auto fields = [](const ImageGrid& g) {
    return std::make_tuple(g.projection, g.width, g.height, g.azimuth_min, g.azimuth_max,
                           g.elevation_min, g.elevation_max, g.fx, g.fy, g.cx, g.cy);
  };
  return fields(a) == fields(b);
}

// `origin` [m]: the tree's, in W.
void placeSensor(const Pose& X_WS, const Eigen::Vector3d& origin, ImageStrip& strip) {
  const Eigen::Vector3d eye = X_WS.p - origin;
  const Eigen::Matrix3f R_WS = X_WS.q.toRotationMatrix().cast<float>();
  for (int axis = 0; axis < 3; ++axis) {
    strip.eye[axis] = static_cast<float>(eye[axis]);
    strip.eye_rest[axis] = static_cast<float>(eye[axis] - static_cast<double>(strip.eye[axis]));
    for (int i = 0; i < 3; ++i) strip.R_SW[axis][i] = R_WS(i, axis);
  }
}

/// Projects a map's surfels.
class DepthImageRenderer final : public ImageRenderer {
 public:
  DepthImageRenderer(std::shared_ptr<const map::SurfelMap> map, const RendererConfig& config)
      : map_(std::move(map)),
        level_(simdLevelFor(config.simd)),
        kernel_(MARSIM_KERNEL_FOR(level_, projectStrip)),
        workers_(config.threads) {}

  std::string name() const override { return "projection"; }

  void renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
                   View<MovingObject> objects, std::vector<Hit>& hits) const override {
    render(grid, X_WS, range_max, objects, nullptr, hits, nullptr);
  }

  bool renderLooksAt(TimeNs /*stamp*/, const ImageGrid& grid, const Pose& X_WS, double range_max,
                     View<MovingObject> objects, const SurfelColours& colours,
                     std::vector<Hit>& hits, SurfaceLooks& looks) const override {
    if (!map_->blending().on()) {
      renderImage(grid, X_WS, range_max, objects, hits);
      return false;
    }
    for (int i = 0; i < 3; ++i) {
      looks.colour[i].resize(grid.size());
      looks.normal[i].resize(grid.size());
    }
    render(grid, X_WS, range_max, objects, &colours, hits, &looks);
    return true;
  }

 private:
  // `colours` and `looks` are both null or both set.
  void render(const ImageGrid& grid, const Pose& X_WS, double range_max, View<MovingObject> objects,
              const SurfelColours* colours, std::vector<Hit>& hits, SurfaceLooks* looks) const {
    grid.validate("image grid");
    const MovingObjects moving(objects, level_);
    if (!(range_max > 0.0) || !X_WS.p.allFinite()) {
      hits.assign(grid.size(), Hit{});
      return;
    }
    hits.resize(grid.size());
    std::unique_ptr<ImageFrame> frame =
        frames_.take([&](const ImageFrame& kept) { return sameGrid(kept.grid(), grid); },
                     [&] { return std::make_unique<ImageFrame>(grid, map_->blending().on()); });
    const auto rows = static_cast<std::size_t>(frame->stripRows());
    const std::size_t strips = (static_cast<std::size_t>(grid.height) + rows - 1) / rows;
    workers_.forRanges(strips, 1, [&](std::size_t begin, std::size_t end) {
      std::unique_ptr<StripArrays> arrays = frame->takeArrays();
      for (std::size_t i = begin; i < end; ++i) {
        ImageStrip strip = frame->strip(static_cast<int>(i * rows));
        arrays->clear(floatBelow(range_max), strip);
        if (map_->blending().on()) arrays->blend(map_->blending(), colours, strip);
        placeSensor(X_WS, map_->origin(), strip);
        kernel_(map_->tree(), strip);
        copy(strip, hits, looks);
      }
      frame->giveBack(std::move(arrays));
    });
    frames_.giveBack(std::move(frame));
    moving.renderImage(grid, X_WS, range_max, workers_, hits);
  }

  // Copies what a strip has met to its rows of the image.
  static void copy(const ImageStrip& strip, std::vector<Hit>& hits, SurfaceLooks* looks) {
    for (int row = 0; row < strip.height; ++row) {
      const auto from = static_cast<std::size_t>(row) * static_cast<std::size_t>(strip.stride);
      const std::ptrdiff_t to =
          static_cast<std::ptrdiff_t>(strip.first_row + row) * std::ptrdiff_t{strip.width};
      for (int i = 0; i < strip.width; ++i) {
        hits[static_cast<std::size_t>(to + i)] = hitOf(strip, from + static_cast<std::size_t>(i));
      }
      for (int i = 0; looks != nullptr && i < 3; ++i) {
        const ImageLooks& own = strip.blending.looks;
        std::copy_n(own.colour[i] + from, strip.width, looks->colour[i].begin() + to);
        std::copy_n(own.normal[i] + from, strip.width, looks->normal[i].begin() + to);
      }
    }
  }

  static Hit hitOf(const ImageStrip& strip, std::size_t i) {
    Hit hit;
    if (strip.surfel[i] == ImageStrip::kNothing) return hit;
    hit.range = strip.depth[i];
    hit.surfel = strip.surfel[i];
    hit.normal = {strip.normal[0][i], strip.normal[1][i], strip.normal[2][i]};
    return hit;
  }

  std::shared_ptr<const map::SurfelMap> map_;
  const SimdLevel level_;
  const ProjectKernel kernel_;
  Workers workers_;
  mutable Pool<ImageFrame> frames_;  // most images have the same grid
};

}  // namespace

std::unique_ptr<ImageRenderer> makeDepthImageRenderer(std::shared_ptr<const map::SurfelMap> map,
                                                      const RendererConfig& config) {
  config.validate("renderer");
  if (!(map->resolution() > 0.999 * kFinestProjected)) return makeRayCaster(std::move(map), config);
  return std::make_unique<DepthImageRenderer>(std::move(map), config);
}

}  // namespace marsim::lidar
