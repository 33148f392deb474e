// SPDX-License-Identifier: BSD-3-Clause
#include "places.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "marsim/common/units.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/scene/places.hpp"

namespace marsim::benchmarks {
namespace {

// Points 0.4 r apart with noise of at most a tenth of r: a clean cloud at every r.
template <class Config>
Config sampledFor(double resolution) {
  Config config;
  config.spacing = 0.4 * resolution;
  config.range_noise = std::min(config.range_noise, 0.1 * resolution);
  return config;
}

map::PointCloud forest(double resolution) {
  auto config = sampledFor<scene::ForestConfig>(resolution);
  config.surroundings = 0.0;  // as in earlier versions' figures
  config.ground_roughness = std::min(config.ground_roughness, 0.1 * resolution);
  return scene::makeForest(config);
}

}  // namespace

std::filesystem::path cloudOf(const Place& place, const std::filesystem::path& folder) {
  const auto path = folder / "clouds" / fmt::format("{}_{}.pcd", place.name, place.resolution);
  if (!std::filesystem::exists(path)) {
    map::savePcd(path,
                 place.name == "forest"
                     ? forest(place.resolution)
                     : scene::makeBuilding(sampledFor<scene::BuildingConfig>(place.resolution)));
  }
  return path;
}

std::shared_ptr<const map::SurfelMap> mapOf(const Place& place, const std::filesystem::path& folder,
                                            map::Surface surface) {
  map::SurfelMapConfig config;
  config.resolution = place.resolution;
  config.surface = surface;
  map::MapLoading loading;
  loading.folder = folder / "maps";
  Progress progress(fmt::format("{} at {} m", place.name, place.resolution));
  auto map = map::loadSurfelMap(cloudOf(place, folder), config, progress, loading).map;
  progress.finish();
  return map;
}

Pose poseOf(const Place& place, int index) {
  const double angle = 2.0 * kPi * index / kPoses;
  const double x = place.name == "forest" ? 10.0 : 3.0, y = place.name == "forest" ? 6.0 : 2.5;
  return {fromRollPitchYaw(0.0, 0.0, angle + 2.0),
          Eigen::Vector3d(x * std::cos(angle), y * std::sin(angle), 1.8)};
}

StateHistory flightFrom(const Pose& X_WB) {
  StateHistory states;
  for (TimeNs t = 0; t <= kScan; t += 2'000'000) {
    const double s = toSeconds(t);
    KinematicState state;
    state.stamp = t;
    state.v_WB = X_WB.q * Eigen::Vector3d(5.0, 0.0, 0.0);
    state.X_WB = {X_WB.q * fromRollPitchYaw(0.0, 0.0, 2.0 * s), X_WB.p + (s - 0.05) * state.v_WB};
    state.w_WB_B = {0.0, 0.0, 2.0};
    states.push(state);
  }
  return states;
}

}  // namespace marsim::benchmarks
