// SPDX-License-Identifier: BSD-3-Clause
#include "scene/sparse_place.hpp"

#include <cmath>

#include <Eigen/Geometry>

#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;
using Kind = SparseKind;
using Solids = std::vector<SparseSolid>;

/// A strip of a wall, as wide as its share of the wall's side a.
struct Strip {
  double share;
  Density density = Density::kDense;
  Kind kind = Kind::kWall;
};

void addWall(const Rectangle& wall, const std::vector<Strip>& strips, Solids& parts) {
  double from = 0.0;
  for (const Strip& strip : strips) {
    const Rectangle part{wall.corner + from * wall.a, strip.share * wall.a, wall.b};
    parts.push_back({strip.kind, strip.density, part});
    from += strip.share;
  }
}

void addWalls(Solids& parts) {
  const Vector3d low(-kRoomHalfLength, -kRoomHalfWidth, 0.0);
  const Vector3d x(2.0 * kRoomHalfLength, 0.0, 0.0), y(0.0, 2.0 * kRoomHalfWidth, 0.0),
      z(0.0, 0.0, kRoomHeight);
  const Strip sixteenth{0.25, Density::kSixteenth};
  const Strip quarter{0.25, Density::kQuarter};
  const Strip layers{0.375, Density::kDense, Kind::kLayers};
  addWall({low, x, y}, {{0.5}, sixteenth, {0.25}}, parts);                    // the floor
  addWall({low + z, x, y}, {{1.0}}, parts);                                   // the ceiling
  addWall({low, y, z}, {{1.0}}, parts);                                       // x = -5
  addWall({low + x, y, z}, {{0.375}, layers, {0.25}}, parts);                 // x = +5
  addWall({low, x, z}, {{0.1}, {0.25, Density::kSixteenth}, {0.65}}, parts);  // y = -4
  addWall({low + y, x, z}, {{0.55}, quarter, {0.2}}, parts);                  // y = +4
}

/// An upright board about its middle; yaw turns it from the x axis.
Rectangle upright(const Vector3d& middle, double yaw, double width, double height) {
  const Vector3d a = width * Vector3d(std::cos(yaw), std::sin(yaw), 0.0);
  const Vector3d b = height * Vector3d::UnitZ();
  return {middle - 0.5 * (a + b), a, b};
}

void addBoards(Solids& parts) {
  const auto add = [&](Density density, const Vector3d& middle, double yaw_deg, double width,
                       double height) {
    parts.push_back({Kind::kBoard, density, upright(middle, radians(yaw_deg), width, height)});
  };
  add(Density::kDense, {3.6, 2.6, 1.3}, 30.0, 1.4, 1.2);
  add(Density::kDense, {-1.8, -2.6, 1.2}, -20.0, 1.2, 1.0);
  add(Density::kQuarter, {1.3, 2.4, 1.4}, 75.0, 1.2, 1.5);
  add(Density::kQuarter, {-2.0, 0.6, 1.2}, 40.0, 1.3, 1.0);
  add(Density::kSixteenth, {3.4, -0.4, 1.2}, 100.0, 1.5, 1.2);
  add(Density::kSixteenth, {0.6, -1.0, 1.3}, -35.0, 1.2, 1.2);
  add(Density::kSixteenth, {0.0, 1.3, 1.1}, 0.0, 1.0, 1.0);
}

void addRods(Solids& parts) {
  const auto add = [&](double diameter, const Vector3d& from, const Vector3d& to) {
    parts.push_back({Kind::kRod, Density::kQuarter, Cylinder{from, to, 0.5 * diameter}});
  };
  add(0.02, {2.5, 1.2, 0.0}, {2.5, 1.2, kRoomHeight});
  add(0.05, {-0.9, -0.3, 0.0}, {-0.9, -0.3, kRoomHeight});
  add(0.02, {-2.6, -1.6, 1.5}, {-0.6, -1.4, 1.5});
  add(0.05, {2.0, -1.9, 0.4}, {2.3, -0.8, 2.6});
}

double area(const Shape& shape) {
  const auto* rectangle = std::get_if<Rectangle>(&shape);
  return rectangle == nullptr ? 0.0 : rectangle->a.norm() * rectangle->b.norm();
}

/// Half a layer's distance to either side, for passes in turn.
Vector3d layerOf(const SparseSolid& solid, int pass) {
  if (solid.kind != Kind::kLayers) return Vector3d::Zero();
  const auto& wall = std::get<Rectangle>(solid.shape);
  return (pass % 2 == 0 ? 0.5 : -0.5) * kLayerDistance * wall.a.cross(wall.b).normalized();
}

void addStrays(const SparsePlace& place, std::uint64_t seed, SparseScan& scan) {
  RandomStream random(seed, "strays");
  const auto count = std::lround(kStrayShare * static_cast<double>(scan.cloud.size()));
  for (long i = 0; i < count;) {
    const double x = random.uniform(-kRoomHalfLength, kRoomHalfLength);
    const double y = random.uniform(-kRoomHalfWidth, kRoomHalfWidth);
    const Vector3d at(x, y, random.uniform(0.0, kRoomHeight));
    if (place.clearance(at) <= kStrayClearance) continue;
    scan.cloud.points.push_back(at.cast<float>());
    scan.parts.push_back(-1);
    ++i;
  }
}

}  // namespace

double keptShare(Density density) {
  constexpr double kShares[] = {1.0, 1.0 / 4.0, 1.0 / 16.0};
  return kShares[static_cast<std::size_t>(density)];
}

SparsePlace::SparsePlace() {
  addWalls(parts_);
  addBoards(parts_);
  addRods(parts_);
  addScreen(Density::kDense, {-2.3, 2.9, 1.3}, radians(8.0));
  addScreen(Density::kQuarter, {2.4, -2.9, 1.3}, radians(-6.0));
  addScreen(Density::kSixteenth, {-3.9, -1.0, 1.3}, radians(95.0));
}

void SparsePlace::addScreen(Density density, const Vector3d& middle, double yaw) {
  constexpr double kSlots[] = {0.2, 1.0, 0.1, 0.5};  // [m]
  constexpr double kBoard = 0.45, kHeight = 1.4;     // [m]
  constexpr double kWidth = 5 * kBoard + 1.8;        // [m] of all
  const Vector3d along(std::cos(yaw), std::sin(yaw), 0.0);
  Vector3d left = middle - 0.5 * kWidth * along;
  const auto next = [&](double width) {
    left += width * along;
    return upright(left - 0.5 * width * along, yaw, width, kHeight);
  };
  parts_.push_back({Kind::kScreen, density, next(kBoard)});
  for (const double slot : kSlots) {
    const int board = static_cast<int>(parts_.size()) - 1;
    slots_.push_back({board, board + 1, next(slot)});
    parts_.push_back({Kind::kScreen, density, next(kBoard)});
  }
}

SparseScan sparseScan(const SparsePlace& place, const HandheldScan& config) {
  const KnownScan all = knownScan(place, config);
  SparseScan result;
  result.density.assign(place.parts().size(), 0.0);
  RandomStream random(config.seed, "thinning");
  for (std::size_t i = 0; i < all.parts.size(); ++i) {
    const auto part = static_cast<std::size_t>(all.parts[i]);
    const SparseSolid& solid = place.parts()[part];
    if (random.uniform() >= keptShare(solid.density)) continue;
    const Eigen::Vector3f layer = layerOf(solid, all.passes[i]).cast<float>();
    result.cloud.points.emplace_back(all.cloud.points[i] + layer);
    result.parts.push_back(all.parts[i]);
    const double size = area(solid.shape);
    if (size > 0.0) result.density[part] += 1.0 / size;
  }
  addStrays(place, config.seed, result);
  return result;
}

}  // namespace marsim::scene
