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

// A depth image in the making: ImageStrip's arrays.
class ImageFrame {
 public:
  ImageFrame(const ImageGrid& grid, bool blends);

  const ImageGrid& grid() const { return grid_; }
  const ImageDirections& directions() const { return directions_; }

  // Prepares some rows for a kernel; the first row begins a tile. Sets everything but the pose and
  // the tree. range_max [m] > 0.
  ImageStrip strip(int first_row, int end_row, float range_max);
  // Allocates the arrays for colours and normals.
  void makeRoomForLooks();
  // Prepares a strip for blending; `colours`: null if no looks are wanted.
  void blend(const map::Blending& blending, const SurfelColours* colours, ImageStrip& strip);
  // Copies the looks of some rows.
  void copyLooks(int first_row, int end_row, SurfaceLooks& looks) const;

 private:
  const ImageGrid grid_;
  const ImageDirections directions_;
  const FootprintFinder footprints_;
  const int tile_stride_;
  std::vector<float> depth_, normal_[3], tile_depth_;
  std::vector<std::uint32_t> surfel_;
  // For blended surfels only.
  std::vector<float> weights_, mean_, largest_, colour_[3], look_normal_[3];
  std::vector<std::uint32_t> first_;
  std::vector<std::vector<SeenSurfel>> seen_;  // by row of tiles in which the strip begins
  std::vector<std::uint8_t> tile_changed_;
};

ImageFrame::ImageFrame(const ImageGrid& grid, bool blends)
    : grid_(grid),
      directions_(grid),
      footprints_(grid),
      tile_stride_(static_cast<int>(directions_.stride()) / kTile + 1),
      depth_(directions_.stride() * static_cast<std::size_t>(grid.height)),
      surfel_(depth_.size()) {
  const auto tile_rows = static_cast<std::size_t>((grid.height + kTile - 1) / kTile);
  tile_depth_.resize(tile_rows * static_cast<std::size_t>(tile_stride_));
  tile_changed_.resize(tile_depth_.size());
  for (std::vector<float>& axis : normal_) axis.resize(depth_.size());
  if (!blends) return;
  for (std::vector<float>* values : {&weights_, &mean_, &largest_}) values->resize(depth_.size());
  first_.resize(depth_.size());
  seen_.resize(tile_rows);
}

int footprintOf(const void* finder, const float* centre, float radius, CellRange* ranges) {
  const Footprint cells = static_cast<const FootprintFinder*>(finder)->of(
      Eigen::Vector3f(centre[0], centre[1], centre[2]), radius);
  if (cells.empty()) return 0;
  for (int i = 0; i < cells.run_count; ++i) {
    ranges[i] = {cells.first_row, cells.last_row, cells.runs[i].first, cells.runs[i].last};
  }
  return cells.run_count;
}

void ImageFrame::makeRoomForLooks() {
  for (int i = 0; i < 3; ++i) {
    colour_[i].resize(depth_.size());
    look_normal_[i].resize(depth_.size());
  }
}

void makeRoom(ImageBlending& blending) {
  auto& seen = *static_cast<std::vector<SeenSurfel>*>(blending.owner);
  seen.resize(std::max<std::size_t>(2 * seen.size(), 4096));
  blending.seen = seen.data();
  blending.seen_capacity = static_cast<std::uint32_t>(seen.size());
}

void ImageFrame::blend(const map::Blending& blending, const SurfelColours* colours,
                       ImageStrip& strip) {
  std::fill(first_.begin() + strip.first_row * strip.stride,
            first_.begin() + strip.end_row * strip.stride, ImageStrip::kNothing);
  ImageBlending& to = strip.blending;
  to.depth = blending.depth;
  to.min_cosine = blending.min_cosine;
  to.max_offset = blending.max_offset;
  to.makeRoom = makeRoom;
  std::vector<SeenSurfel>& seen = seen_[static_cast<std::size_t>(strip.first_row / kTile)];
  to.owner = &seen;
  to.seen = seen.data();
  to.seen_capacity = static_cast<std::uint32_t>(seen.size());
  to.first = first_.data();
  to.weights = weights_.data();
  to.mean = mean_.data();
  to.largest = largest_.data();
  if (colours == nullptr) return;
  to.looks.step = colours->step;
  to.looks.to_back = colours->to_back;
  for (int i = 0; i < 3; ++i) {
    to.looks.bytes[i] = colours->bytes[i];
    to.looks.values[i] = colours->values[i];
    to.looks.colour[i] = colour_[i].data();
    to.looks.normal[i] = look_normal_[i].data();
  }
}

void ImageFrame::copyLooks(int first_row, int end_row, SurfaceLooks& looks) const {
  for (int row = first_row; row < end_row; ++row) {
    const auto from = static_cast<std::ptrdiff_t>(directions_.cell(row, 0));
    const auto to = static_cast<std::ptrdiff_t>(row) * grid_.width;
    for (int i = 0; i < 3; ++i) {
      std::copy_n(colour_[i].begin() + from, grid_.width, looks.colour[i].begin() + to);
      std::copy_n(look_normal_[i].begin() + from, grid_.width, looks.normal[i].begin() + to);
    }
  }
}

ImageStrip ImageFrame::strip(int first_row, int end_row, float range_max) {
  // Just above the maximum, at which a hit still counts.
  const float empty = std::nextafter(range_max, std::numeric_limits<float>::infinity());
  const auto cellAt = [&](int row, int column) {
    return static_cast<std::ptrdiff_t>(directions_.cell(row, column));
  };
  for (int row = first_row; row < end_row; ++row) {
    const auto begin = depth_.begin() + cellAt(row, 0);
    std::fill(begin, begin + grid_.width, empty);
    std::fill(begin + grid_.width, depth_.begin() + cellAt(row + 1, 0), -1.0F);
  }
  std::fill(surfel_.begin() + cellAt(first_row, 0), surfel_.begin() + cellAt(end_row, 0),
            ImageStrip::kNothing);
  const auto tileAt = [&](int row) { return row * static_cast<std::ptrdiff_t>(tile_stride_); };
  const int first_tile = first_row / kTile, end_tile = (end_row + kTile - 1) / kTile;
  std::fill(tile_depth_.begin() + tileAt(first_tile), tile_depth_.begin() + tileAt(end_tile),
            empty);
  std::fill(tile_changed_.begin() + tileAt(first_tile), tile_changed_.begin() + tileAt(end_tile),
            std::uint8_t{0});

  ImageStrip strip{};
  strip.first_row = first_row;
  strip.end_row = end_row;
  strip.width = grid_.width;
  strip.height = grid_.height;
  strip.stride = static_cast<int>(directions_.stride());
  const float* directions[3] = {directions_.x(), directions_.y(), directions_.z()};
  for (int axis = 0; axis < 3; ++axis) {
    strip.direction[axis] = directions[axis];
    strip.normal[axis] = normal_[axis].data();
  }
  strip.depth = depth_.data();
  strip.surfel = surfel_.data();
  strip.tile_depth = tile_depth_.data();
  strip.tile_changed = tile_changed_.data();
  strip.tile_stride = tile_stride_;
  strip.range_max = range_max;
  strip.scale = footprints_.scale();
  strip.footprint = footprintOf;
  strip.finder = &footprints_;
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
    if (looks != nullptr) frame->makeRoomForLooks();
    const auto tiles = static_cast<std::size_t>((grid.height + kTile - 1) / kTile);
    // Several strips a thread balance the work; every strip walks the upper tree again.
    const auto threads = static_cast<std::size_t>(workers_.count());
    const std::size_t strips = threads == 1 ? 1 : std::min(4 * threads, tiles);
    workers_.forRanges(
        tiles, (tiles + strips - 1) / strips, [&](std::size_t begin, std::size_t end) {
          const int first = static_cast<int>(begin) * kTile;
          const int last = std::min(static_cast<int>(end) * kTile, grid.height);
          renderStrip(*frame, X_WS, first, last, floatBelow(range_max), colours, hits);
          if (looks != nullptr) frame->copyLooks(first, last, *looks);
        });
    frames_.giveBack(std::move(frame));
    moving.renderImage(grid, X_WS, range_max, workers_, hits);
  }

  void renderStrip(ImageFrame& frame, const Pose& X_WS, int first_row, int end_row, float range_max,
                   const SurfelColours* colours, std::vector<Hit>& hits) const {
    ImageStrip strip = frame.strip(first_row, end_row, range_max);
    placeSensor(X_WS, map_->origin(), strip);
    if (map_->blending().on()) frame.blend(map_->blending(), colours, strip);
    kernel_(map_->tree(), strip);
    for (int row = first_row; row < end_row; ++row) {
      const std::size_t cell = frame.directions().cell(row, 0);
      Hit* hit = &hits[static_cast<std::size_t>(row) * static_cast<std::size_t>(strip.width)];
      for (std::size_t i = cell; i < cell + static_cast<std::size_t>(strip.width); ++i) {
        *hit++ = hitOf(strip, i);
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
