// SPDX-License-Identifier: BSD-3-Clause
#include "scan_benchmark.hpp"

#include <memory>
#include <utility>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar/lidar.hpp"
#include "places.hpp"
#include "sensors.hpp"
#include "timing.hpp"

namespace marsim::benchmarks {
namespace {

using lidar::Lidar;
using lidar::LidarConfig;

constexpr std::size_t kVariants = 3;

/// A frozen scan with constant intensity; one in flight, measured as in the sensor's file; one with
/// every kind of noise.
std::vector<Lidar> variants(const std::string& sensor,
                            const std::shared_ptr<const lidar::RayRenderer>& renderer) {
  LidarConfig plain = config::loadLidar(sensor);
  plain.range_max = kRangeMax;
  LidarConfig measured = plain;
  plain.instantaneous = true;
  plain.intensity.constant = 100.0;
  LidarConfig everything = measured;
  lidar::NoiseConfig& noise = everything.noise;
  noise.range_bias = 0.01;
  noise.range_sigma = 0.02;
  noise.range_sigma_per_metre = 0.001;
  noise.range_resolution = 0.002;
  noise.angular_sigma = radians(0.05);
  noise.dropout = 0.01;
  noise.dropout_by_range = {{5.0, 0.0}, {30.0, 0.1}};
  noise.dropout_by_incidence = {{radians(60.0), 0.0}, {radians(90.0), 0.5}};
  noise.range_by_reflectivity = {{0.1, 40.0}, {0.8, 70.0}};
  noise.false_returns = 1e-4;
  everything.intensity.range_reference = 10.0;
  std::vector<Lidar> lidars;
  lidars.emplace_back(plain, renderer, 1, false);
  lidars.emplace_back(measured, renderer);
  lidars.emplace_back(everything, renderer);
  return lidars;
}

struct Cell {
  Place place;
  std::string sensor;
  int threads;
};

void measure(const Cell& cell, std::shared_ptr<const map::SurfelMap> map, int repeats) {
  lidar::RendererConfig config;
  config.threads = cell.threads;
  std::vector<Lidar> lidars = variants(cell.sensor, lidar::makeRayCaster(std::move(map), config));
  std::vector<PoseTimes> times(kVariants);
  std::size_t rays = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (int pose = 0; pose < kPoses; ++pose) {
      const StateHistory flight = flightFrom(poseOf(cell.place, pose));
      for (std::size_t i = 0; i < kVariants; ++i) {
        times[i].add(pose, millisecondsOf([&] {
                       const lidar::Scan scan = lidars[i].scan(0, kScan, flight);
                       rays = scan.rays;
                       benchmark::DoNotOptimize(scan.points.data());
                     }));
      }
    }
  }
  const double plain = times[0].median();
  const auto added = [&](std::size_t i) { return 100.0 * (times[i].median() / plain - 1.0); };
  fmt::print("| {} | {} {} m | {} | {} | {:.2f} | {:.2f} | {:+.0f} % | {:.2f} | {:+.0f} % |\n",
             cell.sensor, cell.place.name, cell.place.resolution, cell.threads, rays, plain,
             times[1].median(), added(1), times[2].median(), added(2));
  std::fflush(stdout);
}

}  // namespace

void runScanBench(const ScanBench& bench) {
  for (const std::string& sensor : bench.sensors) config::loadLidar(sensor);
  fmt::print(
      "| sensor | place | threads | rays | plain ms | as shipped ms | | every noise ms | |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const std::string& name : bench.places) {
    const Place place{name, bench.resolution};
    const auto map = mapOf(place, bench.work, bench.surface);
    for (const std::string& sensor : bench.sensors) {
      for (const int threads : bench.threads) measure({place, sensor, threads}, map, bench.repeats);
    }
  }
}

}  // namespace marsim::benchmarks
