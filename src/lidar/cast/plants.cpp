// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/plants.hpp"

#include <algorithm>
#include <utility>

#include "lidar/cast/image_directions.hpp"
#include "lidar/cast/plant_tree.hpp"
#include "lidar/cast/simd_level.hpp"
#include "lidar/cast/workers.hpp"

namespace marsim::lidar {
namespace {

/// Plants for one cast or image: replaces the hits where a plant is nearer.
class PlantCaster {
 public:
  PlantCaster(std::shared_ptr<const Plants> plants, const RendererConfig& config)
      : plants_(std::move(plants)),
        kernel_(plantKernel(simdLevelFor(config.simd))),
        workers_(config.threads) {
    config.validate("renderer");
  }

  map::SurfelChannelViews channels() const { return plants_->channels(); }

  void cast(TimeNs begin, const std::vector<Ray>& rays, std::vector<Hit>& hits) const {
    const PlantTreeView view = plants_->tree().viewAt(begin);
    workers_.forRanges(rays.size(), kRaysPerTask, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const Ray& ray = rays[i];
        if (!isUsable(ray)) continue;
        castOne(view, ray.origin.cast<double>(), ray.direction.cast<double>(), ray.range_min,
                ray.range_max, ray.time, hits[i]);
      }
    });
  }

  void renderImage(TimeNs stamp, const ImageGrid& grid, const Pose& X_WS, double range_max,
                   std::vector<Hit>& hits) const {
    if (!(range_max > 0.0) || !X_WS.p.allFinite()) return;
    const PlantTreeView view = plants_->tree().viewAt(stamp);
    const ImageDirections directions(grid);
    const Eigen::Matrix3d R_WS = X_WS.q.toRotationMatrix();
    const float reach = floatBelow(range_max);
    const auto width = static_cast<std::size_t>(grid.width);
    workers_.forRanges(
        static_cast<std::size_t>(grid.height), 1, [&](std::size_t first, std::size_t last) {
          for (std::size_t row = first; row < last; ++row) {
            for (std::size_t column = 0; column < width; ++column) {
              const Eigen::Vector3d direction =
                  R_WS * directions.at(static_cast<int>(row), static_cast<int>(column));
              castOne(view, X_WS.p, direction, 0.0F, reach, 0.0F, hits[row * width + column]);
            }
          }
        });
  }

 private:
  static constexpr std::size_t kRaysPerTask = 512;

  static bool isUsable(const Ray& ray) {
    return ray.origin.allFinite() && ray.direction.allFinite() &&
           ray.direction.squaredNorm() > 0.0F && ray.range_max > 0.0F;
  }

  void castOne(const PlantTreeView& view, const Eigen::Vector3d& origin,
               const Eigen::Vector3d& direction, float range_min, float range_max, float time,
               Hit& hit) const {
    const Eigen::Vector3d from = origin - plants_->tree().origin();
    const PlantRay ray{{from.x(), from.y(), from.z()},
                       {direction.x(), direction.y(), direction.z()},
                       std::max(range_min, 0.0F),
                       std::min(range_max, hit.range),
                       time};
    PlantHit met;
    if (!kernel_(view, ray, met)) return;
    hit.range = met.range;
    hit.surfel = met.primitive;
    hit.identity = scene::kFirstPlantIdentity + plants_->tree().instanceOf(met.pose);
    hit.normal = Eigen::Vector3f(met.normal);
  }

  const std::shared_ptr<const Plants> plants_;
  const PlantKernel kernel_;
  const Workers workers_;
};

class RayRendererWithPlants final : public RayRenderer {
 public:
  RayRendererWithPlants(std::shared_ptr<const RayRenderer> renderer,
                        std::shared_ptr<const Plants> plants, const RendererConfig& config)
      : renderer_(std::move(renderer)), plants_(std::move(plants), config) {}

  std::string name() const override { return renderer_->name(); }
  map::SurfelChannelViews channels() const override { return renderer_->channels(); }
  map::SurfelChannelViews plantChannels() const override { return plants_.channels(); }
  void cast(const std::vector<Ray>& rays, View<MovingObject> objects,
            std::vector<Hit>& hits) const override {
    castBeams(0, rays, 1, objects, hits);
  }
  void castBeams(TimeNs begin, const std::vector<Ray>& rays, std::size_t rays_a_beam,
                 View<MovingObject> objects, std::vector<Hit>& hits) const override {
    renderer_->castBeams(begin, rays, rays_a_beam, objects, hits);
    plants_.cast(begin, rays, hits);
  }
  void castFew(TimeNs begin, const std::vector<Ray>& rays, View<MovingObject> objects,
               std::vector<Hit>& hits) const override {
    renderer_->castFew(begin, rays, objects, hits);
    plants_.cast(begin, rays, hits);
  }

 private:
  const std::shared_ptr<const RayRenderer> renderer_;
  const PlantCaster plants_;
};

class ImageRendererWithPlants final : public ImageRenderer {
 public:
  ImageRendererWithPlants(std::shared_ptr<const ImageRenderer> renderer,
                          std::shared_ptr<const Plants> plants, const RendererConfig& config)
      : renderer_(std::move(renderer)), plants_(std::move(plants), config) {}

  std::string name() const override { return renderer_->name(); }
  void renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
                   View<MovingObject> objects, std::vector<Hit>& hits) const override {
    renderImageAt(0, grid, X_WS, range_max, objects, hits);
  }
  void renderImageAt(TimeNs stamp, const ImageGrid& grid, const Pose& X_WS, double range_max,
                     View<MovingObject> objects, std::vector<Hit>& hits) const override {
    renderer_->renderImageAt(stamp, grid, X_WS, range_max, objects, hits);
    plants_.renderImage(stamp, grid, X_WS, range_max, hits);
  }
  bool renderLooksAt(TimeNs stamp, const ImageGrid& grid, const Pose& X_WS, double range_max,
                     View<MovingObject> objects, const SurfelColours& colours,
                     std::vector<Hit>& hits, SurfaceLooks& looks) const override {
    const bool is_told =
        renderer_->renderLooksAt(stamp, grid, X_WS, range_max, objects, colours, hits, looks);
    plants_.renderImage(stamp, grid, X_WS, range_max, hits);
    return is_told;
  }

 private:
  const std::shared_ptr<const ImageRenderer> renderer_;
  const PlantCaster plants_;
};

}  // namespace

std::unique_ptr<RayRenderer> withPlants(std::shared_ptr<const RayRenderer> renderer,
                                        std::shared_ptr<const Plants> plants,
                                        const RendererConfig& config) {
  return std::make_unique<RayRendererWithPlants>(std::move(renderer), std::move(plants), config);
}

std::unique_ptr<ImageRenderer> withPlants(std::shared_ptr<const ImageRenderer> renderer,
                                          std::shared_ptr<const Plants> plants,
                                          const RendererConfig& config) {
  return std::make_unique<ImageRendererWithPlants>(std::move(renderer), std::move(plants), config);
}

}  // namespace marsim::lidar
