// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include "marsim/common/random.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/map/surfel_map.hpp"
#include "scene/handheld_scan.hpp"

/// Rates ranges of maps against the true geometry of a known place.
namespace marsim::benchmarks {

using Json = nlohmann::ordered_json;

constexpr double kFarOff = 0.3;  // [m]

/// A ray with its true hit.
struct Probe {
  lidar::Ray ray;
  scene::KnownPlace::Hit truth;
  double passes = 0.0;     ///< [m] from the surface of a rod or edge; 0: met
  double passes_at = 0.0;  ///< [m] range at that place
  int rod_diameter = 0;    ///< [cm]

  Eigen::Vector3d origin() const { return ray.origin.cast<double>(); }
  Eigen::Vector3d direction() const { return ray.direction.cast<double>().normalized(); }
  Eigen::Vector3d at(double range) const { return origin() + range * direction(); }
};

Probe probe(const scene::KnownPlace& place, const Eigen::Vector3d& origin,
            const Eigen::Vector3d& direction);
/// A place without a scan.
Eigen::Vector3d heldOutStation(const scene::KnownPlace& place, int i);
/// Rays in uniform directions.
std::vector<Probe> allRound(const scene::KnownPlace& place, int count, RandomStream& random);
/// Rays that meet a rod first (half of the tries), and rays that pass its surface at 1 to 10 cm and
/// meet nothing until well behind it.
void aimAtRod(const scene::KnownPlace& place, const scene::Cylinder& rod, int part, int tries,
              RandomStream& random, std::vector<Probe>& probes);
/// Sets the distance at which a ray passes a rod, or an edge (radius 0). False if it is not 1 to 10
/// cm, or the ray meets something before or soon behind it.
bool passesBy(const scene::Cylinder& rod, Probe& aimed);
/// Whether a range counts as a return of the object that the ray passes.
bool returnsFromPassed(const Probe& probe, double range);

std::vector<double> ranges(const lidar::RayRenderer& renderer, const std::vector<Probe>& probes);

double quantile(std::vector<double> values, double share);
double shareOf(std::int64_t part, std::int64_t whole);

/// Adds the shares of rays that meet a rod and return it, and of those that pass it and yet return
/// it.
void rateRods(const std::vector<Probe>& probes, const std::vector<double>& found, Json& row);
void printRods(const Json& row);

/// A map of a cloud, its making, and the renderer that casts rays at it.
struct RatedMap {
  Json row;  ///< surface, resolution_m, source_points, points, noise_m, blending_depth_m, build_s
  std::unique_ptr<lidar::RayRenderer> renderer;
};
RatedMap mapOf(const map::PointCloud& cloud, map::Surface surface, double resolution);

/// Calls rate(surface, resolution) for all rated maps.
template <class Rate>
void forEachMap(bool quick, const Rate& rate) {
  for (const double resolution : {0.1, 0.05, 0.02}) {
    if (quick && resolution < 0.05) continue;
    rate(map::Surface::kPaper, resolution);
    rate(map::Surface::kBlended, resolution);
    rate(map::Surface::kSized, resolution);
  }
}

}  // namespace marsim::benchmarks
