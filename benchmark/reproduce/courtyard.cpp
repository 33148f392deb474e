// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "marsim/config/load.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/lidar/plants.hpp"
#include "marsim/map/load_map.hpp"
#include "reproduce/experiment.hpp"
#include "timing.hpp"

namespace marsim::reproduce {
namespace {

/// The courtyard, or for tests a small place with as few plants as a file of the package has.
std::shared_ptr<const lidar::RayRenderer> rendererOf(Extent extent, int threads,
                                                     Progress& progress) {
  const bool small = extent == Extent::kTest;
  map::SurfelMapConfig map_config;
  map_config.resolution = small ? 0.2 : 0.1;
  const auto map =
      map::loadSurfelMap(config::resolveMap(small ? "forest" : "courtyard"), map_config, progress)
          .map;
  const std::string plants = small ? "stems" : "courtyard";
  lidar::RendererConfig config;
  config.threads = threads;
  return lidar::withPlants(
      std::shared_ptr<const lidar::RayRenderer>(lidar::makeRayCaster(map, config)),
      lidar::plantOn(map, config::loadVegetation(plants), plants), config);
}

}  // namespace

Reproduction reproduceCourtyard(Extent extent, Progress& progress) {
  Reproduction result;
  FigureTable table{
      "Scans 1.8 m above the middle, nine rays a beam, the least wall time of five",
      {"sensor", "threads", "rays a scan", "time [ms]", "million rays a second", "times real time"},
      {}};
  for (const int threads : {1, 2}) {
    const auto renderer = rendererOf(extent, threads, progress);
    for (const std::string name : {"lms291", "hdl64e_goodin", "hdl32e", "vlp16"}) {
      lidar::LidarConfig config = config::loadLidar(name);
      config.beam.rays = 9;
      if (config.beam.divergence_horizontal == 0.0) {
        config.beam.divergence_horizontal = 3.3e-3;
        config.beam.divergence_vertical = 0.7e-3;
        config.beam.shape = lidar::BeamConfig::Shape::kRectangle;
      }
      lidar::Lidar lidar(config, renderer);
      Pose X_WB;
      X_WB.p.z() = 1.8;
      double least = std::numeric_limits<double>::infinity();
      std::size_t beams = 0;
      for (int repeat = 0; repeat < 5; ++repeat) {
        least = std::min(least, benchmarks::millisecondsOf([&] { beams = lidar.scan(X_WB).rays; }));
      }
      const double rays = 9.0 * static_cast<double>(beams), factor = 1e3 / (config.rate * least);
      table.rows.push_back({name, fmt::format("{}", threads), fmt::format("{:.0f}", rays),
                            fmt::format("{:.1f}", least),
                            fmt::format("{:.2f}", 1e-3 * rays / least),
                            fmt::format("{:.2f}", factor)});
      if (threads == 2 && name == "lms291") {
        result.criteria.push_back({"LMS-291 on two cores: times real time", factor, 1.0});
      }
    }
  }
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace marsim::reproduce
