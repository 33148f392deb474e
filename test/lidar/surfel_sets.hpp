// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/common/random.hpp"
#include "marsim/map/surfel_map.hpp"

/// Surfel sets and random numbers for the tests of renderers.
namespace marsim::lidar {

inline Eigen::Vector3d randomInCube(RandomStream& random, double half_side) {
  return {random.uniform(-half_side, half_side), random.uniform(-half_side, half_side),
          random.uniform(-half_side, half_side)};
}

inline Eigen::Vector3d randomDirection(RandomStream& random) {
  return Eigen::Vector3d(random.normal(), random.normal(), random.normal()).normalized();
}

enum class Kind { kPlanar, kNotPlanar, kMixed };

inline std::shared_ptr<const map::SurfelMap> makeMap(std::vector<map::Surfel> surfels,
                                                     double resolution,
                                                     const map::Blending& blending = {}) {
  map::SurfelMapConfig config;
  config.resolution = resolution;
  return std::make_shared<const map::SurfelMap>(std::move(surfels), config, blending);
}

/// Surfels whose sizes take turns: classes 0 to `sizes` - 1.
inline std::shared_ptr<const map::SurfelMap> makeSizedMap(std::vector<map::Surfel> surfels,
                                                          double resolution, std::size_t sizes,
                                                          const map::Blending& blending = {}) {
  map::SurfelMapConfig config;
  config.resolution = resolution;
  map::SurfelSet set;
  set.surfels = std::move(surfels);
  set.planar_threshold = static_cast<float>(config.planar_factor * resolution);
  set.blending = blending;
  for (std::size_t i = 0; i < set.surfels.size(); ++i) {
    set.sizes.push_back(static_cast<std::uint8_t>(i % sizes));
  }
  return std::make_shared<const map::SurfelMap>(map::SurfelMap::of(set, config));
}

/// A surfel of a kind (mixed: half of each) for a map of the resolution.
inline map::Surfel makeSurfel(RandomStream& random, const Eigen::Vector3d& position,
                              const Eigen::Vector3d& normal, double resolution, Kind kind) {
  const bool planar = kind == Kind::kPlanar || (kind == Kind::kMixed && random.uniform() < 0.5);
  const double thickness =
      resolution * (planar ? random.uniform(0.0, 0.24) : random.uniform(0.26, 0.5));
  return {position.cast<float>(), normal.cast<float>().normalized(), static_cast<float>(thickness)};
}

/// Surfels of all sizes scattered in a cube about `centre`, with normals in all directions.
inline std::shared_ptr<const map::SurfelMap> scatteredMap(
    std::uint64_t seed, int count, double half_side, double resolution, Kind kind,
    const Eigen::Vector3d& centre = Eigen::Vector3d::Zero()) {
  RandomStream random(seed, "scattered");
  std::vector<map::Surfel> surfels;
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3d position = centre + randomInCube(random, half_side);
    surfels.push_back(makeSurfel(random, position, randomDirection(random), resolution, kind));
  }
  return makeSizedMap(std::move(surfels), resolution, map::kSizeCount);
}

/// The six walls of a room about the origin, one surfel a voxel, jittered by a tenth of one, of the
/// usual size and the two larger ones.
inline std::shared_ptr<const map::SurfelMap> roomMap(const Eigen::Vector3d& half_size,
                                                     double resolution, Kind kind,
                                                     const map::Blending& blending = {}) {
  RandomStream random(11, "room");
  std::vector<map::Surfel> surfels;
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const double side : {-1.0, 1.0}) {
      for (double a = -half_size[u]; a <= half_size[u]; a += resolution) {
        for (double b = -half_size[v]; b <= half_size[v]; b += resolution) {
          Eigen::Vector3d position;
          position[axis] = side * half_size[axis];
          position[u] = a;
          position[v] = b;
          position += randomInCube(random, 0.1 * resolution);
          const Eigen::Vector3d normal = Eigen::Vector3d::Unit(axis) + randomInCube(random, 0.05);
          surfels.push_back(makeSurfel(random, position, normal, resolution, kind));
        }
      }
    }
  }
  return makeSizedMap(std::move(surfels), resolution, map::kUsualSize + 1, blending);
}

}  // namespace marsim::lidar
