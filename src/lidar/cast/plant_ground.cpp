// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>
#include <utility>

#include "marsim/lidar/plants.hpp"

namespace marsim::lidar {
namespace {

// Rays go straight up, so that crowns and roofs do not matter.
std::vector<double> heightsFrom(const RayRenderer& renderer,
                                const std::vector<Eigen::Vector2d>& places, double z_min,
                                double z_max) {
  std::vector<Ray> rays;
  rays.reserve(places.size());
  for (const Eigen::Vector2d& place : places) {
    const Eigen::Vector3d from(place.x(), place.y(), z_min);
    rays.push_back(
        {from.cast<float>(), static_cast<float>(z_max - z_min), Eigen::Vector3f::UnitZ(), 0.0F});
  }
  std::vector<Hit> hits;
  renderer.cast(rays, hits);
  std::vector<double> heights;
  heights.reserve(hits.size());
  for (std::size_t i = 0; i < hits.size(); ++i) {
    heights.push_back(hits[i].valid() ? static_cast<double>(rays[i].origin.z() + hits[i].range)
                                      : std::numeric_limits<double>::quiet_NaN());
  }
  return heights;
}

}  // namespace

scene::Vegetation vegetationOn(std::shared_ptr<const map::SurfelMap> map,
                               const scene::VegetationConfig& config, const std::string& where) {
  RendererConfig all_cores;
  all_cores.threads = 0;
  const std::unique_ptr<RayCaster> renderer = makeRayCaster(map, all_cores);
  const auto ground = [&](const std::vector<Eigen::Vector2d>& places, double z_min, double z_max) {
    return heightsFrom(*renderer, places, z_min, z_max);
  };
  return scene::plantVegetation(config, map->bounds().cast<double>(), ground, where);
}

std::shared_ptr<const Plants> plantOn(std::shared_ptr<const map::SurfelMap> map,
                                      const scene::VegetationConfig& config,
                                      const std::string& where) {
  return std::make_shared<const Plants>(vegetationOn(std::move(map), config, where));
}

}  // namespace marsim::lidar
