// SPDX-License-Identifier: BSD-3-Clause
#include "range_rating.hpp"

#include <chrono>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "common/nth_smallest.hpp"

namespace marsim::benchmarks {
namespace {

using Eigen::Vector3d;
using scene::KnownPlace;

constexpr int kHeldOutPass = 100;  // used for no scan
constexpr int kHeldOutPasses = 10;
constexpr double kRodTolerance = 0.05;  // [m]
constexpr double kRodReturn = 0.15;     // [m] a return so near to a passed rod is the rod's

}  // namespace

Probe probe(const KnownPlace& place, const Vector3d& origin, const Vector3d& direction) {
  Probe result;
  result.ray.origin = origin.cast<float>();
  result.ray.direction = direction.cast<float>().normalized();
  result.ray.range_max = 30.0F;
  result.ray.time = 0.0F;
  result.truth = place.cast(result.origin(), result.direction());
  return result;
}

Vector3d heldOutStation(const KnownPlace& place, int i) {
  return stationOn(place, kHeldOutPass + i % kHeldOutPasses, 0.05 * (i / kHeldOutPasses % 20));
}

std::vector<Probe> allRound(const KnownPlace& place, int count, RandomStream& random) {
  std::vector<Probe> probes;
  for (int i = 0; i < count; ++i) {
    const double x = random.normal();
    const double y = random.normal();
    const double z = random.normal();
    probes.push_back(probe(place, heldOutStation(place, i), Vector3d(x, y, z).normalized()));
  }
  return probes;
}

bool passesBy(const scene::Cylinder& rod, Probe& aimed) {
  const auto [distance, range] = approachOf(rod, aimed.origin(), aimed.direction(), 30.0);
  aimed.passes = distance - rod.radius;
  aimed.passes_at = range;
  return aimed.passes >= 0.01 && aimed.passes <= 0.1 && aimed.truth.range >= range + kFarOff;
}

bool returnsFromPassed(const Probe& probe, double range) {
  return std::abs(range - probe.passes_at) < kRodReturn;
}

void aimAtRod(const KnownPlace& place, const scene::Cylinder& rod, int part, int tries,
              RandomStream& random, std::vector<Probe>& probes) {
  for (int i = 0; i < tries; ++i) {
    const Vector3d origin = heldOutStation(place, i);
    const double share = random.uniform(0.05, 0.95);
    const double across = random.uniform(-1.0, 1.0);
    const Vector3d at = rod.from + share * (rod.to - rod.from);
    const Vector3d side = (at - origin).cross(rod.to - rod.from).normalized();
    const double beside = std::copysign(rod.radius + 0.01 + 0.09 * std::abs(across), across);
    const Vector3d target = at + (i % 2 == 0 ? rod.radius * across : beside) * side;
    Probe aimed = probe(place, origin, (target - origin).normalized());
    aimed.rod_diameter = static_cast<int>(std::lround(200.0 * rod.radius));
    if (i % 2 == 0 ? aimed.truth.part == part : passesBy(rod, aimed)) probes.push_back(aimed);
  }
}

std::vector<double> ranges(const lidar::RayRenderer& renderer, const std::vector<Probe>& probes) {
  std::vector<lidar::Ray> rays;
  for (const Probe& each : probes) rays.push_back(each.ray);
  std::vector<lidar::Hit> hits;
  renderer.cast(rays, hits);
  std::vector<double> result;
  for (const lidar::Hit& hit : hits) result.push_back(static_cast<double>(hit.range));
  return result;
}

double quantile(std::vector<double> values, double share) {
  return nthSmallest(values,
                     static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
}

double shareOf(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

void rateRods(const std::vector<Probe>& probes, const std::vector<double>& found, Json& row) {
  struct Count {
    std::int64_t met = 0, hit = 0, passed = 0, returned = 0;
  };
  std::map<int, Count> counts;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const Probe& each = probes[i];
    Count& count = counts[each.rod_diameter];
    if (each.passes == 0.0) {
      ++count.met;
      count.hit += std::abs(found[i] - each.truth.range) < kRodTolerance ? 1 : 0;
    } else {
      ++count.passed;
      count.returned += returnsFromPassed(each, found[i]) ? 1 : 0;
    }
  }
  for (const auto& [diameter, count] : counts) {
    const std::string name = fmt::format("{}_cm", diameter);
    row["rod_hit_share"][name] = shareOf(count.hit, count.met);
    row["rod_false_share"][name] = shareOf(count.returned, count.passed);
  }
}

void printRods(const Json& row) {
  for (const auto& [diameter, hit] : row["rod_hit_share"].items()) {
    fmt::print("  {:4.1f}/{:4.1f}", 1e2 * hit.get<double>(),
               1e2 * row["rod_false_share"][diameter].get<double>());
  }
}

RatedMap mapOf(const map::PointCloud& cloud, map::Surface surface, double resolution) {
  map::SurfelMapConfig config;
  config.resolution = resolution;
  config.surface = surface;
  const auto start = std::chrono::steady_clock::now();
  const auto map = std::make_shared<const map::SurfelMap>(map::SurfelMap::build(cloud, config));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  RatedMap result;
  result.renderer = lidar::makeRayCaster(map, {});
  result.row["surface"] = map::nameOf(surface);
  result.row["resolution_m"] = resolution;
  result.row["source_points"] = cloud.size();
  result.row["points"] = map->size();
  result.row["noise_m"] = map->noise();
  result.row["blending_depth_m"] = map->blending().depth;
  result.row["build_s"] = took.count();
  return result;
}

}  // namespace marsim::benchmarks
