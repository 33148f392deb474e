#include "marsim/map/surfel_map.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "marsim/common/error.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map {

void SurfelMapConfig::validate(const std::string& where) const {
  const Validator validator(where);
  validator.positive("resolution", resolution, "m");
  // Below one voxel there are no neighbours; far above, a wall's normal is that of its building.
  validator.within("normal_radius_factor", normal_radius_factor, 1.0, 100.0);
  validator.notNegative("planar_factor", planar_factor);
}

SurfelMap SurfelMap::build(const PointCloud& cloud, const SurfelMapConfig& config,
                           Progress& progress) {
  config.validate("");
  if (cloud.empty()) throw Error("a map cannot be made of a cloud without points");
  progress.phase("downsampling");
  const PointCloud thinned = downsample(cloud, config.resolution);
  const double radius = config.normal_radius_factor * config.resolution;
  return SurfelMap(estimateSurfels(thinned, radius, progress), config);
}

SurfelMap::SurfelMap(std::vector<Surfel> surfels, const SurfelMapConfig& config)
    : surfels_(std::move(surfels)), config_(config) {
  config_.validate("");
  radius_ = static_cast<float>(0.5 * std::sqrt(3.0) * config_.resolution);
  planar_threshold_ = static_cast<float>(config_.planar_factor * config_.resolution);
  for (const Surfel& surfel : surfels_) bounds_.extend(surfel.position);
}

double SurfelMap::planarShare() const {
  if (surfels_.empty()) return 0.0;
  const auto planar = std::count_if(surfels_.begin(), surfels_.end(),
                                    [this](const Surfel& surfel) { return isPlanar(surfel); });
  return static_cast<double>(planar) / static_cast<double>(surfels_.size());
}

}  // namespace marsim::map
