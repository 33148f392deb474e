#include "fidelity_benchmark.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include "common/nth_smallest.hpp"
#include "common/output_file.hpp"
#include "marsim/common/random.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/map/surfel_map.hpp"
#include "scene/fidelity_place.hpp"

namespace marsim::benchmarks {
namespace {

using Eigen::Vector3d;
using scene::FidelityPlace;
using Json = nlohmann::ordered_json;

constexpr int kHeldOutPass = 100;  // no scan's
constexpr int kHeldOutPasses = 10;
constexpr double kFarOff = 0.3;         // [m]
constexpr double kRodTolerance = 0.05;  // [m]
constexpr double kRodReturn = 0.15;     // [m] a return so near to a rod passed by is taken for it

/// A ray with what it truly meets.
struct Probe {
  lidar::Ray ray;
  FidelityPlace::Hit truth;
  double passes = 0.0;     ///< [m] from a rod's surface; 0 where it meets it
  double passes_at = 0.0;  ///< [m] range of that
  int rod_diameter = 0;    ///< [cm]
};

Probe probe(const FidelityPlace& place, const Vector3d& origin, const Vector3d& direction) {
  Probe result;
  result.ray.origin = origin.cast<float>();
  result.ray.direction = direction.cast<float>().normalized();
  result.ray.range_max = 30.0F;
  result.ray.time = 0.0F;
  result.truth = place.cast(result.ray.origin.cast<double>(),
                            result.ray.direction.cast<double>().normalized());
  return result;
}

Vector3d heldOutStation(const FidelityPlace& place, int i) {
  return stationOn(place, kHeldOutPass + i % kHeldOutPasses, 0.05 * (i / kHeldOutPasses % 20));
}

/// Rays in all directions alike.
std::vector<Probe> allRound(const FidelityPlace& place, int count, RandomStream& random) {
  std::vector<Probe> probes;
  for (int i = 0; i < count; ++i) {
    const double x = random.normal();
    const double y = random.normal();
    const double z = random.normal();
    probes.push_back(probe(place, heldOutStation(place, i), Vector3d(x, y, z).normalized()));
  }
  return probes;
}

/// Rays that meet a rod first (half of the tries), and rays that pass its surface at 1 to 10 cm and
/// meet nothing until well behind it.
void aimAtRod(const FidelityPlace& place, int part, int tries, RandomStream& random,
              std::vector<Probe>& probes) {
  const auto& rod = std::get<scene::Cylinder>(place.parts()[static_cast<std::size_t>(part)].shape);
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
    if (i % 2 == 0) {
      if (aimed.truth.part != part) continue;
    } else {
      const auto [distance, range] = approachOf(rod, aimed.ray.origin.cast<double>(),
                                                aimed.ray.direction.cast<double>(), 30.0);
      aimed.passes = distance - rod.radius;
      aimed.passes_at = range;
      if (aimed.passes < 0.01 || aimed.passes > 0.1) continue;
      if (aimed.truth.range < range + kFarOff) continue;
    }
    probes.push_back(aimed);
  }
}

std::vector<Probe> atRods(const FidelityPlace& place, int tries, RandomStream& random) {
  constexpr double kThickest = 0.051;  // [m] radius
  std::vector<Probe> probes;
  for (std::size_t part = 0; part < place.parts().size(); ++part) {
    const auto* rod = std::get_if<scene::Cylinder>(&place.parts()[part].shape);
    if (rod == nullptr || rod->radius > kThickest) continue;
    aimAtRod(place, static_cast<int>(part), tries, random, probes);
  }
  return probes;
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

/// Whether a return lies on the other side of a door's middle than the ray's origin.
bool mixesFaces(const scene::Box& door, const lidar::Ray& ray, double range) {
  const Vector3d origin = ray.origin.cast<double>() - door.centre;
  const Vector3d point = origin + range * ray.direction.cast<double>();
  return origin.dot(door.axes.col(1)) * point.dot(door.axes.col(1)) < 0.0;
}

/// Errors of rays in all directions; a miss counts as an error without bound.
void rateRanges(const FidelityPlace& place, const std::vector<Probe>& probes,
                const std::vector<double>& found, Json& row) {
  std::vector<double> errors, sizes;
  std::int64_t far_off = 0, misses = 0, door = 0, mixed = 0;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const double error = found[i] - probes[i].truth.range;
    errors.push_back(error);
    sizes.push_back(std::abs(error));
    far_off += std::abs(error) > kFarOff ? 1 : 0;
    misses += std::isinf(found[i]) ? 1 : 0;
    const auto& part = place.parts()[static_cast<std::size_t>(probes[i].truth.part)];
    if (part.kind != FidelityPlace::Kind::kDoor || std::abs(error) > 0.1) continue;
    ++door;
    mixed += mixesFaces(std::get<scene::Box>(part.shape), probes[i].ray, found[i]) ? 1 : 0;
  }
  const auto rays = static_cast<std::int64_t>(probes.size());
  row["rays"] = rays;
  row["median_m"] = quantile(sizes, 0.5);
  row["signed_median_m"] = quantile(errors, 0.5);
  row["p90_m"] = quantile(sizes, 0.9);
  row["share_over_0_3_m"] = shareOf(far_off, rays);
  row["share_missed"] = shareOf(misses, rays);
  row["door_faces_mixed_share"] = shareOf(mixed, door);
}

/// Shares of rays that meet a rod and return it, and that pass it by and yet return it.
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
      count.returned += std::abs(found[i] - each.passes_at) < kRodReturn ? 1 : 0;
    }
  }
  for (const auto& [diameter, count] : counts) {
    const std::string name = fmt::format("{}_cm", diameter);
    row["rod_hit_share"][name] = shareOf(count.hit, count.met);
    row["rod_false_share"][name] = shareOf(count.returned, count.passed);
  }
}

class Fidelity {
 public:
  explicit Fidelity(bool quick)
      : random_(1, "fidelity"),
        probes_(allRound(place_, quick ? 10'000 : 40'000, random_)),
        rod_probes_(atRods(place_, quick ? 1000 : 4000, random_)) {
    scene::HandheldScan scan;
    if (quick) scan.beams_per_pass /= 4;
    cloud_ = scene::scan(place_, scan);
  }

  Json row(map::Surface surface, double resolution) const;

 private:
  FidelityPlace place_;
  RandomStream random_;
  std::vector<Probe> probes_, rod_probes_;
  map::PointCloud cloud_;
};

Json Fidelity::row(map::Surface surface, double resolution) const {
  map::SurfelMapConfig config;
  config.resolution = resolution;
  config.surface = surface;
  Progress progress("map", Progress::Output::kNone);
  const auto start = std::chrono::steady_clock::now();
  const auto map =
      std::make_shared<const map::SurfelMap>(map::SurfelMap::build(cloud_, config, progress));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const auto renderer = lidar::makeRayCaster(map, {});
  Json row;
  row["surface"] = surface == map::Surface::kPaper ? "paper" : "blended";
  row["resolution_m"] = resolution;
  row["source_points"] = cloud_.size();
  row["points"] = map->size();
  row["noise_m"] = map->noise();
  row["blending_depth_m"] = map->blending().depth;
  row["build_s"] = took.count();
  rateRanges(place_, probes_, ranges(*renderer, probes_), row);
  rateRods(rod_probes_, ranges(*renderer, rod_probes_), row);
  return row;
}

void print(const Json& row) {
  const auto number = [&](const char* name) { return row[name].get<double>(); };
  fmt::print("{:8} {:5.2f} {:8} {:8.1f} {:8.1f} {:7.1f} {:7.2f} {:7.2f} {:7.1f} {:7.2f}",
             row["surface"].get<std::string>(), number("resolution_m"),
             row["points"].get<std::size_t>(), 1e3 * number("median_m"),
             1e3 * number("signed_median_m"), 1e3 * number("p90_m"),
             1e2 * number("share_over_0_3_m"), 1e2 * number("share_missed"),
             1e2 * number("door_faces_mixed_share"), number("build_s"));
  for (const auto& [diameter, hit] : row["rod_hit_share"].items()) {
    fmt::print("  {:4.1f}/{:4.1f}", 1e2 * hit.get<double>(),
               1e2 * row["rod_false_share"][diameter].get<double>());
  }
  fmt::print("\n");
}

}  // namespace

int fidelity(const std::string& out_json, bool quick) {
  const Fidelity run(quick);
  fmt::print("errors in mm, shares in %; rods: returned where met/where passed by at 1-10 cm\n");
  fmt::print("{:8} {:>5} {:>8} {:>8} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7}  {}\n", "surface", "r",
             "surfels", "median", "signed", "90 %", ">0.3 m", "missed", "door", "build s",
             "rods of 2, 3, 5, 10 cm");
  Json rows = Json::array();
  for (const double resolution : {0.1, 0.05, 0.02}) {
    if (quick && resolution < 0.05) continue;
    for (const map::Surface surface : {map::Surface::kPaper, map::Surface::kBlended}) {
      rows.push_back(run.row(surface, resolution));
      print(rows.back());
    }
  }
  if (out_json.empty()) return 0;
  writeFile(out_json, rows.dump(2) + "\n");
  return 0;
}

}  // namespace marsim::benchmarks
