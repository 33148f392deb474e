#include "places.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "marsim/common/units.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/scene/places.hpp"

namespace marsim::benchmarks {
namespace {

// Points 0.4 r apart, no farther off their surfaces than a tenth of r: a clean cloud at every r.
template <class Config>
Config sampledFor(double resolution) {
  Config config;
  config.spacing = 0.4 * resolution;
  config.range_noise = std::min(config.range_noise, 0.1 * resolution);
  return config;
}

map::PointCloud forest(double resolution) {
  auto config = sampledFor<scene::ForestConfig>(resolution);
  config.ground_roughness = std::min(config.ground_roughness, 0.1 * resolution);
  return scene::makeForest(config);
}

}  // namespace

std::filesystem::path cloudOf(const Place& place, const std::filesystem::path& folder) {
  const auto path = folder / fmt::format("{}_{}.pcd", place.name, place.resolution);
  if (!std::filesystem::exists(path)) {
    map::savePcd(path,
                 place.name == "forest"
                     ? forest(place.resolution)
                     : scene::makeBuilding(sampledFor<scene::BuildingConfig>(place.resolution)));
  }
  return path;
}

Pose poseOf(const Place& place, int index) {
  const double angle = 2.0 * kPi * index / kPoses;
  const double x = place.name == "forest" ? 10.0 : 3.0, y = place.name == "forest" ? 6.0 : 2.5;
  return {fromRollPitchYaw(0.0, 0.0, angle + 2.0),
          Eigen::Vector3d(x * std::cos(angle), y * std::sin(angle), 1.8)};
}

}  // namespace marsim::benchmarks
