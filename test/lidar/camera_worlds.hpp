// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "marsim/lidar/camera.hpp"

/// Worlds for the tests of cameras.
namespace marsim::lidar {

constexpr double kWallDistance = 3.0;  // [m]

inline CameraConfig cameraOf(const CameraModel& model) {
  CameraConfig config;
  config.name = "camera";
  config.model = model;
  config.X_BC.q = opticalRotation();
  config.light = CameraLight::kFlat;
  return config;
}

/// The wall x = kWallDistance, 24 m wide and high, of surfels at r = 0.1 m.
inline map::SurfelSet wallSurfels() {
  map::SurfelSet set;
  set.planar_threshold = 0.02F;
  for (int row = -120; row <= 120; ++row) {
    for (int column = -120; column <= 120; ++column) {
      set.surfels.push_back({Eigen::Vector3d(kWallDistance, 0.1 * column, 0.1 * row).cast<float>(),
                             Eigen::Vector3f::UnitX(), 0.0F});
    }
  }
  return set;
}

inline std::shared_ptr<const map::SurfelMap> mapOf(const map::SurfelSet& set) {
  return std::make_shared<const map::SurfelMap>(map::SurfelMap::of(set, map::SurfelMapConfig()));
}

/// The wall with one colour left of y = 0, seen along x, and one right of it.
inline std::shared_ptr<const map::SurfelMap> twoColoured(const map::Colour& left,
                                                         const map::Colour& right) {
  map::SurfelSet set = wallSurfels();
  for (const map::Surfel& surfel : set.surfels) {
    set.channels.colour.push_back(surfel.position.y() > 0.0F ? left : right);
  }
  return mapOf(set);
}

inline CameraRenderers renderersOf(const std::shared_ptr<const map::SurfelMap>& map,
                                   int threads = 1) {
  RendererConfig config;
  config.threads = threads;
  return {map, makeRayCaster(map, config), makeDepthImageRenderer(map, config), threads};
}

}  // namespace marsim::lidar
