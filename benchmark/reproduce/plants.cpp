// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "marsim/common/random.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/lidar/plants.hpp"
#include "marsim/map/surfel_map.hpp"
#include "reproduce/experiment.hpp"
#include "reproduce/memory.hpp"
#include "timing.hpp"

namespace marsim::reproduce {
namespace {

constexpr double kLength = 3.0, kWidth = 2.0, kStep = 0.4;  // [m] of the ground
constexpr double kPlants = 24564.0, kLargestMemory = 8.0;   // [GB]

/// A step of rough ground across roots, with points on a grid of `spacing` [m].
map::PointCloud rootStep(double spacing) {
  map::PointCloud cloud;
  RandomStream random(1, "root step");
  for (double x = -0.5 * kLength; x < 0.5 * kLength; x += spacing) {
    for (double y = -0.5 * kWidth; y < 0.5 * kWidth; y += spacing) {
      const double edge = x + 0.15 * std::sin(4.0 * y);
      const double roots = 0.03 * std::cos(21.0 * (y + 0.3 * x)) * std::sin(5.0 * x);
      const double z = 0.5 * (kStep - 0.06) * std::tanh(6.0 * edge) + roots;
      cloud.points.emplace_back(Eigen::Vector3d(x, y, z + 0.5e-3 * random.normal()).cast<float>());
    }
  }
  return cloud;
}

scene::VegetationConfig plantsOf(double count) {
  scene::StandConfig stand;
  stand.species = config::loadVegetation("courtyard").stands.back().species;  // the shrub
  stand.density = count / (kLength * kWidth);
  stand.scale_min = 0.03;
  stand.scale_max = 0.1;
  scene::VegetationConfig vegetation;
  vegetation.stands.push_back(stand);
  return vegetation;
}

}  // namespace

Reproduction reproducePlants(Extent extent, Progress& progress) {
  const bool small = extent == Extent::kTest;
  Reproduction result;
  progress.phase("ground");
  map::SurfelMapConfig map_config;
  map_config.resolution = small ? 0.02 : 5e-3;
  std::shared_ptr<const map::SurfelMap> map;
  const double ground_time = benchmarks::millisecondsOf([&] {
    map = std::make_shared<const map::SurfelMap>(
        map::SurfelMap::build(rootStep(small ? 0.01 : 1e-3), map_config));
  });
  progress.phase("plants");
  lidar::RendererConfig renderer_config;
  renderer_config.threads = 2;
  std::shared_ptr<const lidar::Plants> plants;
  const double plant_time = benchmarks::millisecondsOf(
      [&] { plants = lidar::plantOn(map, plantsOf(small ? 100.0 : 1.05 * kPlants), "plants"); });
  lidar::LidarConfig sensor = config::loadLidar("hdl64e_goodin");
  sensor.beam.rays = 9;
  lidar::Lidar lidar(sensor, lidar::withPlants(std::shared_ptr<const lidar::RayRenderer>(
                                                   lidar::makeRayCaster(map, renderer_config)),
                                               plants, renderer_config));
  Pose X_WB;
  X_WB.p = {-3.0, 0.0, 1.0};
  double least = std::numeric_limits<double>::infinity();
  std::size_t beams = 0, returns = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    least = std::min(least, benchmarks::millisecondsOf([&] {
                       const lidar::Scan scan = lidar.scan(X_WB);
                       beams = scan.rays;
                       returns = scan.points.size();
                     }));
  }
  const double memory = residentGigabytes();
  result.tables.push_back(
      {"A turn of the HDL-64E, nine rays a beam, 1.5 m before the ground's edge and 1 m above it, "
       "two threads, the least wall time of five",
       {"ground's surfels", "plants", "ground [s]", "plants [s]", "beams", "returns", "scan [ms]",
        "memory [GB]"},
       {{fmt::format("{}", map->size()), fmt::format("{}", plants->size()),
         fmt::format("{:.1f}", 1e-3 * ground_time), fmt::format("{:.1f}", 1e-3 * plant_time),
         fmt::format("{}", beams), fmt::format("{}", returns), fmt::format("{:.0f}", least),
         fmt::format("{:.2f}", memory)}}});
  result.criteria.push_back({"memory [GB]", memory, 0.0, kLargestMemory});
  if (!small) {
    result.criteria.push_back({"plants", static_cast<double>(plants->size()), kPlants});
  }
  return result;
}

}  // namespace marsim::reproduce
