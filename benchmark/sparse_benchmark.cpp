// SPDX-License-Identifier: BSD-3-Clause
#include "sparse_benchmark.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "range_rating.hpp"
#include "scene/sparse_place.hpp"

namespace marsim::benchmarks {
namespace {

using Eigen::Vector3d;
using scene::Cylinder;
using scene::Rectangle;
using scene::Slot;
using scene::SparseKind;
using scene::SparsePlace;
using scene::SparseSolid;

constexpr double kInside = 0.08;      // [m] least distance of beams at a solid from its edges
constexpr double kSlotMargin = 0.01;  // [m] least distance of beams through a slot from its sides
constexpr double kBehindSlot = 0.5;   // [m] least distance from a slot to the surface behind it
constexpr double kOthers = 0.1;       // [m] to other parts, of beams through slots and past edges
// Least cosines of incidence.
constexpr double kFlattestAtSolid = 0.26;  // 75 degrees
constexpr double kFlattestAtEdge = 0.5;    // 60 degrees

constexpr std::array<const char*, 3> kDensities = {"dense", "quarter", "sixteenth"};
constexpr std::array<const char*, 4> kGroups = {"dense", "quarter", "sixteenth", "layers"};

const SparseSolid& solidOf(const SparsePlace& place, int part) {
  return place.parts()[static_cast<std::size_t>(part)];
}

std::size_t groupOf(const SparseSolid& solid) {
  return solid.kind == SparseKind::kLayers ? 3 : static_cast<std::size_t>(solid.density);
}

/// Cosine of a ray's angle to a rectangle's normal.
double incidence(const Rectangle& rectangle, const Probe& aimed) {
  return std::abs(rectangle.a.cross(rectangle.b).normalized().dot(aimed.direction()));
}

double crossing(const Rectangle& rectangle, const Probe& aimed) {
  const Vector3d normal = rectangle.a.cross(rectangle.b);
  return normal.dot(rectangle.corner - aimed.origin()) / normal.dot(aimed.direction());
}

/// Distance [m] of a point in the rectangle from its sides; negative outside.
double inside(const Rectangle& rectangle, const Vector3d& point) {
  double least = scene::kNoRange;
  for (const Vector3d& side : {rectangle.a, rectangle.b}) {
    const double along = (point - rectangle.corner).dot(side) / side.norm();
    least = std::min({least, along, side.norm() - along});
  }
  return least;
}

Vector3d randomPoint(const Rectangle& rectangle, double margin, RandomStream& random) {
  Vector3d point = rectangle.corner;
  for (const Vector3d& side : {rectangle.a, rectangle.b}) {
    const double share = margin / side.norm();
    point += random.uniform(share, 1.0 - share) * side;
  }
  return point;
}

/// Whether a ray keeps clear of all but some parts, up to a range.
bool passesClear(const SparsePlace& place, const Probe& aimed, double range,
                 const std::vector<int>& but) {
  constexpr double kStep = 0.02;  // [m] at least
  for (double t = 0.0; t < range;) {
    double free = scene::kNoRange;
    for (int part = 0; part < static_cast<int>(place.parts().size()); ++part) {
      if (std::find(but.begin(), but.end(), part) != but.end()) continue;
      free = std::min(free, distanceTo(solidOf(place, part).shape, aimed.at(t)));
    }
    if (free < kOthers) return false;
    t += std::max(kStep, free - kOthers);
  }
  return true;
}

/// Beams that meet a rectangle well inside.
void aimAtSolid(const SparsePlace& place, int part, int tries, RandomStream& random,
                std::vector<Probe>& probes) {
  const auto& target = std::get<Rectangle>(solidOf(place, part).shape);
  for (int i = 0; i < tries; ++i) {
    const Vector3d origin = heldOutStation(place, i);
    const Vector3d at = randomPoint(target, kInside, random);
    const Probe aimed = probe(place, origin, (at - origin).normalized());
    if (aimed.truth.part != part || incidence(target, aimed) < kFlattestAtSolid) continue;
    probes.push_back(aimed);
  }
}

/// Beams that meet a dense part of the room through a slot.
std::vector<Probe> throughSlot(const SparsePlace& place, const Slot& slot, int tries,
                               RandomStream& random) {
  const auto& [corner, a, b] = slot.opening;
  const Cylinder left{corner, corner + b, 0.0}, right{corner + a, corner + a + b, 0.0};
  std::vector<Probe> probes;
  for (int i = 0; i < tries; ++i) {
    const Vector3d origin = heldOutStation(place, i);
    const Vector3d at = randomPoint(slot.opening, kSlotMargin, random);
    const Probe aimed = probe(place, origin, (at - origin).normalized());
    if (incidence(slot.opening, aimed) < kFlattestAtEdge) continue;
    const auto margin = [&](const Cylinder& side) {
      return approachOf(side, aimed.origin(), aimed.direction(), 30.0).distance;
    };
    if (std::min(margin(left), margin(right)) < kSlotMargin) continue;
    const SparseSolid& behind = solidOf(place, aimed.truth.part);
    if (behind.kind != SparseKind::kWall || behind.density != scene::Density::kDense) continue;
    if (aimed.truth.range < crossing(slot.opening, aimed) + kBehindSlot) continue;
    const Vector3d seen = aimed.at(aimed.truth.range);
    if (inside(std::get<Rectangle>(behind.shape), seen) < kInside) continue;
    const std::vector<int> but{slot.left, slot.right, aimed.truth.part};
    if (passesClear(place, aimed, aimed.truth.range, but)) probes.push_back(aimed);
  }
  return probes;
}

/// Beams that pass the sides of a board at 1 to 10 cm.
void passEdges(const SparsePlace& place, int part, int tries, RandomStream& random,
               std::vector<Probe>& probes) {
  const auto& board = std::get<Rectangle>(solidOf(place, part).shape);
  const Vector3d middle = board.corner + 0.5 * (board.a + board.b);
  for (int i = 0; i < tries; ++i) {
    const Vector3d& along = i % 2 == 0 ? board.a : board.b;
    const Vector3d& across = i % 2 == 0 ? board.b : board.a;
    const Vector3d out = i / 2 % 2 == 0 ? across : -across;
    const Vector3d side = middle + 0.5 * out;
    const Cylinder edge{side - 0.5 * along, side + 0.5 * along, 0.0};
    const Vector3d at =
        side + random.uniform(-0.45, 0.45) * along + random.uniform(0.01, 0.15) * out.normalized();
    const Vector3d origin = heldOutStation(place, i / 4);
    Probe aimed = probe(place, origin, (at - origin).normalized());
    if (!passesBy(edge, aimed) || incidence(board, aimed) < kFlattestAtEdge) continue;
    aimed.passes_at = crossing(board, aimed);  // at the place where a larger board would return it
    if (passesClear(place, aimed, aimed.passes_at + kFarOff, {part})) probes.push_back(aimed);
  }
}

struct Probes {
  Probes(const SparsePlace& place, bool quick);

  std::vector<Probe> all_round, rods;
  std::array<std::vector<Probe>, 4> solids;
  std::array<std::vector<Probe>, 3> edges;
  std::vector<std::vector<Probe>> slots;
};

Probes::Probes(const SparsePlace& place, bool quick) {
  RandomStream random(1, "sparse");
  const int tries = quick ? 1000 : 4000;
  all_round = allRound(place, 10 * tries, random);
  for (int part = 0; part < static_cast<int>(place.parts().size()); ++part) {
    const SparseSolid& solid = solidOf(place, part);
    if (const auto* rod = std::get_if<Cylinder>(&solid.shape)) {
      aimAtRod(place, *rod, part, tries, random, rods);
      continue;
    }
    aimAtSolid(place, part, tries, random, solids[groupOf(solid)]);
    if (solid.kind == SparseKind::kBoard)
      passEdges(place, part, tries, random, edges[groupOf(solid)]);
  }
  for (const Slot& slot : place.slots()) {
    slots.push_back(throughSlot(place, slot, tries, random));
  }
}

/// A share of some beams; null without beams.
struct Share {
  std::int64_t part = 0, whole = 0;

  void count(bool counts) {
    part += counts ? 1 : 0;
    ++whole;
  }
  void add(const Share& other) {
    part += other.part;
    whole += other.whole;
  }
  double share() const { return shareOf(part, whole); }
  Json json() const { return whole == 0 ? Json() : Json(share()); }
};

class Sparse {
 public:
  explicit Sparse(bool quick) : probes_(place_, quick) {
    scene::HandheldScan scan;
    scan.beams_per_pass = quick ? 75'000 : 300'000;
    scan_ = sparseScan(place_, scan);
    for (std::size_t i = 0; i < scan_.parts.size(); ++i) {
      if (scan_.parts[i] >= 0) without_strays_.points.push_back(scan_.cloud.points[i]);
    }
  }

  Json row(map::Surface surface, double resolution) const;

 private:
  void rateSolids(const lidar::RayRenderer& renderer, Json& row) const;
  double spacingAt(const Slot& slot, double resolution) const;
  void rateSlots(const lidar::RayRenderer& renderer, double resolution, Json& row) const;
  void rateEdges(const lidar::RayRenderer& renderer, Json& row) const;
  double tooNear(const lidar::RayRenderer& renderer) const;

  SparsePlace place_;
  Probes probes_;
  scene::SparseScan scan_;
  map::PointCloud without_strays_;
};

Json Sparse::row(map::Surface surface, double resolution) const {
  const RatedMap rated = mapOf(without_strays_, surface, resolution);
  const RatedMap with_strays = mapOf(scan_.cloud, surface, resolution);
  Json row;
  row["place"] = "sparse";
  row.update(rated.row);
  rateSolids(*rated.renderer, row);
  rateSlots(*rated.renderer, resolution, row);
  rateEdges(*rated.renderer, row);
  row["near"] = tooNear(*rated.renderer);
  row["near_strays"] = tooNear(*with_strays.renderer);
  rateRods(probes_.rods, ranges(*rated.renderer, probes_.rods), row);
  return row;
}

/// Rates beams that return nothing or a surface far behind a solid, and errors of the others.
void Sparse::rateSolids(const lidar::RayRenderer& renderer, Json& row) const {
  for (std::size_t group = 0; group < kGroups.size(); ++group) {
    const std::vector<Probe>& probes = probes_.solids[group];
    const std::vector<double> found = ranges(renderer, probes);
    Share missed;
    std::vector<double> errors, sizes;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      const double error = found[i] - probes[i].truth.range;
      missed.count(error > kFarOff);
      if (error > kFarOff) continue;
      errors.push_back(error);
      sizes.push_back(std::abs(error));
    }
    const std::string name = kGroups[group];
    row["misses_" + name] = missed.json();
    row["median_m_" + name] = sizes.empty() ? Json() : Json(quantile(sizes, 0.5));
    row["signed_median_m_" + name] = errors.empty() ? Json() : Json(quantile(errors, 0.5));
  }
}

/// The spacing [m] of a slot's boards in a map of this resolution.
double Sparse::spacingAt(const Slot& slot, double resolution) const {
  const double density = std::min(scan_.density[static_cast<std::size_t>(slot.left)],
                                  scan_.density[static_cast<std::size_t>(slot.right)]);
  return std::max(resolution, 1.0 / std::sqrt(density));
}

/// Rates beams through slots, separately those wider than three local spacings.
void Sparse::rateSlots(const lidar::RayRenderer& renderer, double resolution, Json& row) const {
  std::array<Share, 3> wide, narrow;
  Json each = Json::array();
  for (std::size_t i = 0; i < place_.slots().size(); ++i) {
    const Slot& slot = place_.slots()[i];
    const std::vector<Probe>& probes = probes_.slots[i];
    const std::vector<double> found = ranges(renderer, probes);
    Share open, closed;
    for (std::size_t k = 0; k < probes.size(); ++k) {
      open.count(std::abs(found[k] - probes[k].truth.range) < kFarOff);
      closed.count(std::abs(found[k] - crossing(slot.opening, probes[k])) < kFarOff);
    }
    const double width = slot.opening.a.norm();
    const double spacing = spacingAt(slot, resolution);
    const std::size_t group = groupOf(solidOf(place_, slot.left));
    (width > 3.0 * spacing ? wide : narrow)[group].add(open);
    each.push_back({{"density", kDensities[group]},
                    {"width_m", width},
                    {"spacing_m", spacing},
                    {"beams", open.whole},
                    {"open", open.json()},
                    {"closed", closed.json()}});
  }
  for (std::size_t group = 0; group < kDensities.size(); ++group) {
    const std::string name = kDensities[group];
    row["gaps_open_" + name] = wide[group].json();
    row["narrow_gaps_open_" + name] = narrow[group].json();
  }
  row["gaps"] = each;
}

void Sparse::rateEdges(const lidar::RayRenderer& renderer, Json& row) const {
  Share all;
  for (std::size_t group = 0; group < kDensities.size(); ++group) {
    const std::vector<Probe>& probes = probes_.edges[group];
    const std::vector<double> found = ranges(renderer, probes);
    Share open;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      open.count(!returnsFromPassed(probes[i], found[i]));
    }
    row[std::string("edges_open_") + kDensities[group]] = open.json();
    all.add(open);
  }
  row["edges_open"] = all.json();
}

/// The share of beams that return far in front of the truth.
double Sparse::tooNear(const lidar::RayRenderer& renderer) const {
  const std::vector<double> found = ranges(renderer, probes_.all_round);
  Share near;
  for (std::size_t i = 0; i < found.size(); ++i) {
    near.count(found[i] < probes_.all_round[i].truth.range - kFarOff);
  }
  return near.share();
}

/// Numbers of a row side by side; "-" for missing ones.
template <std::size_t N>
std::string listed(const Json& row, const std::string& prefix,
                   const std::array<const char*, N>& names, double scale, int digits) {
  std::string text;
  for (const char* name : names) {
    const Json& value = row[prefix + name];
    if (!text.empty()) text += '/';
    text += value.is_null() ? "-" : fmt::format("{:.{}f}", scale * value.get<double>(), digits);
  }
  return text;
}

void print(const Json& row) {
  const auto number = [&](const char* name) { return row[name].get<double>(); };
  fmt::print("{:8} {:5.2f} {:8} {:>22} {:>18} {:>20} {:>15} {:>15} {:>15} {:5.2f}/{:4.2f} {:7.2f}",
             row["surface"].get<std::string>(), number("resolution_m"),
             row["points"].get<std::size_t>(), listed(row, "misses_", kGroups, 1e2, 2),
             listed(row, "median_m_", kGroups, 1e3, 1),
             listed(row, "signed_median_m_", kGroups, 1e3, 1),
             listed(row, "gaps_open_", kDensities, 1e2, 1),
             listed(row, "narrow_gaps_open_", kDensities, 1e2, 1),
             listed(row, "edges_open_", kDensities, 1e2, 1), 1e2 * number("near"),
             1e2 * number("near_strays"), number("build_s"));
  printRods(row);
  fmt::print("\n");
}

}  // namespace

void rateSparse(bool quick, Json& rows) {
  const Sparse run(quick);
  fmt::print(
      "\nsparse: solids with all/1/4/1/16 of their points/layers 3 cm apart; gaps wider than 3 "
      "spacings and\nnarrower ones; near: too near by more than 0.3 m, without/with strays (all "
      "else: without)\n");
  fmt::print("{:8} {:>5} {:>8} {:>22} {:>18} {:>20} {:>15} {:>15} {:>15} {:>10} {:>7}  {}\n",
             "surface", "r", "surfels", "missed", "median", "signed", "gaps open", "narrow open",
             "edges open", "near", "build s", "rods of 2, 5 cm");
  forEachMap(quick, [&](map::Surface surface, double resolution) {
    rows.push_back(run.row(surface, resolution));
    print(rows.back());
  });
}

}  // namespace marsim::benchmarks
