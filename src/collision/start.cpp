// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/start.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

namespace marsim::collision {
namespace {

constexpr double kStartHeight = 1.5;  // [m] above the ground

/// The lowest surface of a map's columns. Walks down them in steps too short to miss a surface.
class LowestSurface {
 public:
  /// A surface counts as met within `near` [m].
  LowestSurface(const ClearanceMap& map, double near)
      : map_(map), box_(map.bounds().cast<double>()), near_(near) {}

  /// See placeOverGround().
  std::optional<Eigen::Vector3d> placeNear(const Eigen::Vector3d& middle, double clearance,
                                           double lowest_z) const;

 private:
  double step(double distance) const { return std::max(0.5 * distance, 0.5 * near_); }
  /// z [m] of the lowest surface in a column: of the point nearest to the column where the column
  /// comes nearest to the surface.
  std::optional<double> heightAt(double x, double y) const {
    std::optional<ClearanceMap::NearestPoint> met;
    for (Eigen::Vector3d at(x, y, box_.min().z() - near_); at.z() < box_.max().z() + near_;) {
      const ClearanceMap::NearestPoint found = map_.at(at);
      if (met && found.distance >= met->distance) break;
      if (found.distance < near_) met = found;
      at.z() += met ? 0.1 * near_ : step(found.distance);
    }
    return met ? std::optional(met->nearest.z()) : std::nullopt;
  }
  /// Whether the ground extends around a place at slopes of up to 45 degrees: no stray point, no
  /// edge of a roof.
  bool goesOn(double x, double y, double z) const {
    for (const auto& [dx, dy] : {std::pair{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}, {0.0, -1.0}}) {
      const std::optional<double> beside = heightAt(x + dx, y + dy);
      if (!beside || std::abs(*beside - z) > 1.0 + near_) return false;
    }
    return true;
  }

  const ClearanceMap& map_;
  Eigen::AlignedBox3d box_;
  double near_;
};

std::optional<Eigen::Vector3d> LowestSurface::placeNear(const Eigen::Vector3d& middle,
                                                        double clearance, double lowest_z) const {
  constexpr int kRings = 40;  // of places round the middle
  // Inside the box, below any roof; a map flatter than that has none.
  const double highest = std::max(box_.max().z(), box_.min().z() + 2.0 * kStartHeight);
  const double spacing = std::max(0.5, 0.5 * box_.diagonal().head<2>().maxCoeff() / kRings);
  std::vector<std::pair<int, int>> places;
  for (int i = -kRings; i <= kRings; ++i) {
    for (int j = -kRings; j <= kRings; ++j) places.emplace_back(i, j);
  }
  std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) {
    const auto key = [](const std::pair<int, int>& place) {
      return std::tuple(place.first * place.first + place.second * place.second, place);
    };
    return key(a) < key(b);
  });
  for (const auto& [i, j] : places) {
    const double x = middle.x() + spacing * i, y = middle.y() + spacing * j;
    if (!box_.contains(Eigen::Vector3d(x, y, box_.center().z()))) continue;
    const std::optional<double> ground = heightAt(x, y);
    if (!ground) continue;
    const Eigen::Vector3d place(x, y, *ground + kStartHeight);
    if (place.z() < lowest_z || place.z() > highest) continue;
    if (map_.at(place).distance >= clearance && goesOn(x, y, *ground)) return place;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Eigen::Vector3d> placeOverGround(const ClearanceMap& map,
                                               const Eigen::Vector3d& middle, double clearance,
                                               double spacing, double lowest_z) {
  if (map.bounds().isEmpty()) return std::nullopt;
  const double near = std::max({0.2, 2.0 * map.resolution(), spacing});
  return LowestSurface(map, near).placeNear(middle, clearance, lowest_z);
}

}  // namespace marsim::collision
