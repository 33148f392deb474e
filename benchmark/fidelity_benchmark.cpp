// SPDX-License-Identifier: BSD-3-Clause
#include "fidelity_benchmark.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "common/output_file.hpp"
#include "range_rating.hpp"
#include "scene/fidelity_place.hpp"
#include "sparse_benchmark.hpp"

namespace marsim::benchmarks {
namespace {

using Eigen::Vector3d;
using scene::FidelityPlace;

std::vector<Probe> atRods(const FidelityPlace& place, int tries, RandomStream& random) {
  constexpr double kThickest = 0.051;  // [m] radius
  std::vector<Probe> probes;
  for (std::size_t part = 0; part < place.parts().size(); ++part) {
    const auto* rod = std::get_if<scene::Cylinder>(&place.parts()[part].shape);
    if (rod == nullptr || rod->radius > kThickest) continue;
    aimAtRod(place, *rod, static_cast<int>(part), tries, random, probes);
  }
  return probes;
}

/// Whether a return lies beyond a door's middle as seen from the ray's origin.
bool mixesFaces(const scene::Box& door, const lidar::Ray& ray, double range) {
  const Vector3d origin = ray.origin.cast<double>() - door.centre;
  const Vector3d point = origin + range * ray.direction.cast<double>();
  return origin.dot(door.axes.col(1)) * point.dot(door.axes.col(1)) < 0.0;
}

/// Errors of rays in all directions; a miss counts as an infinite error.
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
  RatedMap rated = mapOf(cloud_, surface, resolution);
  rateRanges(place_, probes_, ranges(*rated.renderer, probes_), rated.row);
  rateRods(rod_probes_, ranges(*rated.renderer, rod_probes_), rated.row);
  return rated.row;
}

void print(const Json& row) {
  const auto number = [&](const char* name) { return row[name].get<double>(); };
  fmt::print("{:8} {:5.2f} {:8} {:8.1f} {:8.1f} {:7.1f} {:7.2f} {:7.2f} {:7.1f} {:7.2f}",
             row["surface"].get<std::string>(), number("resolution_m"),
             row["points"].get<std::size_t>(), 1e3 * number("median_m"),
             1e3 * number("signed_median_m"), 1e3 * number("p90_m"),
             1e2 * number("share_over_0_3_m"), 1e2 * number("share_missed"),
             1e2 * number("door_faces_mixed_share"), number("build_s"));
  printRods(row);
  fmt::print("\n");
}

/// Prints the table of the furnished place and adds its rows.
void rateFurnished(bool quick, Json& rows) {
  const Fidelity run(quick);
  fmt::print("errors in mm, shares in %; rods: returned where met/where passed by at 1-10 cm\n");
  fmt::print("{:8} {:>5} {:>8} {:>8} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7}  {}\n", "surface", "r",
             "surfels", "median", "signed", "90 %", ">0.3 m", "missed", "door", "build s",
             "rods of 2, 3, 5, 10 cm");
  forEachMap(quick, [&](map::Surface surface, double resolution) {
    rows.push_back(run.row(surface, resolution));
    print(rows.back());
  });
}

}  // namespace

int fidelity(const std::string& out_json, bool quick) {
  Json rows = Json::array();
  rateFurnished(quick, rows);
  rateSparse(quick, rows);
  if (!out_json.empty()) writeFile(out_json, rows.dump(2) + "\n");
  return 0;
}

}  // namespace marsim::benchmarks
