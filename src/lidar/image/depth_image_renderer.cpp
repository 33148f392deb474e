#include <algorithm>
#include <cmath>
#include <utility>

#include "lidar/cast/moving_objects.hpp"
#include "lidar/cast/simd_level.hpp"
#include "lidar/cast/workers.hpp"
#include "lidar/image/image_frame.hpp"
#include "marsim/common/error.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {
namespace {

// [m] Finer maps have so many surfels a cell that casting a ray through each cell is quicker.
constexpr double kFinestProjected = 0.05;

/// Projects a map's surfels.
class DepthImageRenderer final : public ImageRenderer {
 public:
  DepthImageRenderer(std::shared_ptr<const map::SurfelMap> map, const RendererConfig& config)
      : map_(std::move(map)),
        kernel_(projectKernel(config.simd)),
        cast_kernel_(castKernel(config.simd)),
        workers_(config.threads) {}

  std::string name() const override { return "projection"; }

  void renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
                   View<MovingObject> objects, std::vector<Hit>& hits) const override {
    grid.validate("image grid");
    const MovingObjects moving(objects, cast_kernel_);
    if (!(range_max > 0.0) || !X_WS.p.allFinite()) {
      hits.assign(grid.size(), Hit{});
      return;
    }
    hits.resize(grid.size());
    std::unique_ptr<ImageFrame> frame = frames_.take(grid);
    constexpr int kTile = ImageStrip::kTile;
    const auto tiles = static_cast<std::size_t>((grid.height + kTile - 1) / kTile);
    // A few strips a thread even out their work; every strip walks the upper tree again.
    const auto threads = static_cast<std::size_t>(workers_.count());
    const std::size_t strips = threads == 1 ? 1 : std::min(4 * threads, tiles);
    workers_.forRanges(tiles, (tiles + strips - 1) / strips,
                       [&](std::size_t begin, std::size_t end) {
                         const int last = std::min(static_cast<int>(end) * kTile, grid.height);
                         renderStrip(*frame, X_WS, static_cast<int>(begin) * kTile, last,
                                     floatBelow(range_max), hits);
                       });
    frames_.giveBack(std::move(frame));
    moving.renderImage(grid, X_WS, range_max, workers_, hits);
  }

 private:
  void renderStrip(ImageFrame& frame, const Pose& X_WS, int first_row, int end_row, float range_max,
                   std::vector<Hit>& hits) const {
    ImageStrip strip = frame.strip(first_row, end_row, range_max);
    placeSensor(X_WS, map_->origin(), strip);
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
  const ProjectKernel kernel_;
  const CastKernel cast_kernel_;  // of objects
  Workers workers_;
  mutable FramePool frames_;
};

}  // namespace

std::unique_ptr<ImageRenderer> makeDepthImageRenderer(std::shared_ptr<const map::SurfelMap> map,
                                                      const RendererConfig& config) {
  config.validate("renderer");
  const bool projects = map->resolution() > 0.999 * kFinestProjected && !map->blending().on();
  if (!projects) return makeRayCaster(std::move(map), config);
  return std::make_unique<DepthImageRenderer>(std::move(map), config);
}

}  // namespace marsim::lidar
