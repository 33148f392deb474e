// SPDX-License-Identifier: BSD-3-Clause
#include "vegetation_benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/lidar/plants.hpp"
#include "marsim/map/load_map.hpp"
#include "places.hpp"
#include "timing.hpp"

namespace marsim::benchmarks {
namespace {

constexpr double kHeight = 1.8;  // [m] above the ground
constexpr double kMiB = 1 << 20;

std::shared_ptr<const map::SurfelMap> mapOf(const VegetationBench& bench) {
  map::SurfelMapConfig config;
  config.resolution = bench.resolution;
  map::MapLoading loading;
  loading.folder = bench.work / "maps";
  Progress progress(bench.map);
  auto map = map::loadSurfelMap(config::resolveMap(bench.map), config, progress, loading).map;
  progress.finish();
  return map;
}

// A pose on a circle about the map's middle.
Pose poseIn(const map::SurfelMap& map, const lidar::RayRenderer& renderer, int index) {
  const Eigen::AlignedBox3f bounds = map.bounds();
  const double radius = 0.25 * static_cast<double>(bounds.sizes().head<2>().minCoeff());
  const double angle = 2.0 * kPi * index / kPoses;
  Eigen::Vector3d place = bounds.center().cast<double>() +
                          radius * Eigen::Vector3d(std::cos(angle), std::sin(angle), 0.0);
  place.z() = static_cast<double>(bounds.min().z()) - 1.0;
  std::vector<lidar::Hit> hits;
  renderer.cast({{place.cast<float>(), 1e4F, Eigen::Vector3f::UnitZ(), 0.0F}}, hits);
  if (!hits[0].valid()) throw Error("the map has no ground where the benchmark looks for it");
  place.z() += static_cast<double>(hits[0].range) + kHeight;
  return {fromRollPitchYaw(0.0, 0.0, angle + 2.0), place};
}

// Resident memory of this process [MiB].
double residentMemory() {
  std::ifstream status("/proc/self/statm");
  double total = 0.0, resident = 0.0;
  status >> total >> resident;
  return resident * 4096.0 / kMiB;
}

}  // namespace

void runVegetationBench(const VegetationBench& bench) {
  const auto map = mapOf(bench);
  const std::shared_ptr<const lidar::RayRenderer> of_map = lidar::makeRayCaster(map, {});
  const double before = residentMemory();
  std::shared_ptr<const lidar::Plants> plants;
  const double planting = processorMilliseconds([&] {
    plants = lidar::plantOn(map, config::loadVegetation(bench.vegetation), bench.vegetation);
  });
  fmt::print(
      "{} with {}: {} instances, {:.1f} MiB in {:.0f} ms; the process holds {:.0f} MiB, {:.0f} "
      "before\n\n",
      bench.map, bench.vegetation, plants->size(), static_cast<double>(plants->bytes()) / kMiB,
      planting, residentMemory(), before);
  const std::shared_ptr<const lidar::RayRenderer> of_both =
      lidar::withPlants(of_map, plants, lidar::RendererConfig{});
  fmt::print(
      "| sensor | rays | without ms | with ms | times | returns on plants |\n"
      "| --- | --- | --- | --- | --- | --- |\n");
  for (const std::string& sensor : bench.sensors) {
    lidar::Lidar alone(config::loadLidar(sensor), of_map), with(config::loadLidar(sensor), of_both);
    PoseTimes alone_times, with_times;
    std::size_t rays = 0, points = 0, on_plants = 0;
    for (int repeat = 0; repeat < bench.repeats; ++repeat) {
      for (int pose = 0; pose < kPoses; ++pose) {
        const StateHistory flight = flightFrom(poseIn(*map, *of_map, pose));
        lidar::Scan scan;
        alone_times.add(pose, processorMilliseconds([&] { scan = alone.scan(0, kScan, flight); }));
        with_times.add(pose, processorMilliseconds([&] { scan = with.scan(0, kScan, flight); }));
        rays = scan.rays;
        points += scan.points.size();
        on_plants += static_cast<std::size_t>(
            std::count_if(scan.points.begin(), scan.points.end(),
                          [](const auto& point) { return scene::isPlant(point.identity); }));
      }
    }
    const double without_ms = alone_times.median(), with_ms = with_times.median();
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.1f} % |\n", sensor, rays, without_ms,
               with_ms, with_ms / without_ms,
               100.0 * static_cast<double>(on_plants) / static_cast<double>(points));
  }
}

}  // namespace marsim::benchmarks
