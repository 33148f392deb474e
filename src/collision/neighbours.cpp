// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/neighbours.hpp"

#include <algorithm>
#include <utility>

#include "marsim/common/units.hpp"

namespace marsim::collision {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr int kAround = 6;         // points on a large disc besides its middle
constexpr float kPointsAt = 0.6F;  // of its radius: their distance from the middle

class MapTree : public Neighbours {
 public:
  explicit MapTree(std::shared_ptr<const map::SurfelMap> map) : map_(std::move(map)) {
    for (const std::uint8_t size : map::decodeSizes(map_->tree())) {
      if (size < map::kUsualSize) reach_ = reachOf(0);
    }
  }
  void within(const Vector3d& p_W, double radius,
              std::vector<map::FoundSurfel>& found) const override {
    const Vector3d p_O = p_W - map_->origin();
    const std::size_t first = found.size();
    map::surfelsWithin(map_->tree(), p_O, radius + reach_, found);
    keep(first, found,
         [&](const Vector3f& point) { return (point.cast<double>() - p_O).norm() <= radius; });
  }
  void inBox(const Pose& X_WB, const Eigen::AlignedBox3d& box_B,
             std::vector<map::FoundSurfel>& found) const override {
    const Pose X_OB{X_WB.q, X_WB.p - map_->origin()};
    const Vector3d more = Vector3d::Constant(reach_);
    const std::size_t first = found.size();
    map::surfelsInBox(map_->tree(), X_OB, {box_B.min() - more, box_B.max() + more}, found);
    const Pose X_BO = X_OB.inverse();
    keep(first, found,
         [&](const Vector3f& point) { return box_B.contains(X_BO * point.cast<double>()); });
  }
  double nearest(const Vector3d& p_W, double limit, map::FoundSurfel& point) const override {
    const Vector3d p_O = p_W - map_->origin();
    if (reach_ == 0.0) return map::nearestSurfel(map_->tree(), p_O, limit, point);
    double best = map::nearestSurfel(map_->tree(), p_O, limit + reach_, point);
    std::vector<map::FoundSurfel> found;
    within(p_W, std::min(best, limit), found);
    best = limit;
    for (const map::FoundSurfel& other : found) {
      const double here = (other.position.cast<double>() - p_O).norm();
      if (here >= best) continue;
      best = here;
      point = other;
    }
    return best;
  }
  Vector3d origin() const override { return map_->origin(); }
  double resolution() const override { return map_->resolution(); }

 private:
  double reachOf(std::uint8_t size) const {
    return static_cast<double>(kPointsAt * map_->radius() * map::kSizeFactors[size]);
  }

  // Replaces discs larger than usual by points on them, and drops points that are not wanted.
  template <class IsWanted>
  void keep(std::size_t first, std::vector<map::FoundSurfel>& found,
            const IsWanted& isWanted) const {
    if (reach_ == 0.0) return;
    const std::vector<map::FoundSurfel> middles(found.begin() + static_cast<std::ptrdiff_t>(first),
                                                found.end());
    found.resize(first);
    for (const map::FoundSurfel& middle : middles) {
      if (isWanted(middle.position)) found.push_back(middle);
      if (middle.size >= map::kUsualSize || !middle.planar) continue;
      const Vector3f u = middle.normal.normalized().unitOrthogonal();
      const Eigen::AngleAxisf turn(static_cast<float>(2.0 * kPi / kAround),
                                   middle.normal.normalized());
      Vector3f way = static_cast<float>(reachOf(middle.size)) * u;
      for (int i = 0; i < kAround; ++i, way = turn * way) {
        if (!isWanted(middle.position + way)) continue;
        found.push_back(middle);
        found.back().position += way;
      }
    }
  }

  std::shared_ptr<const map::SurfelMap> map_;
  double reach_ = 0.0;  // [m] from a surfel's position to its farthest point; 0: positions alone
};

/// A map and further points, which are balls of a second map about the same origin.
class MapAndPoints : public Neighbours {
 public:
  MapAndPoints(std::shared_ptr<const map::SurfelMap> map,
               std::shared_ptr<const map::SurfelMap> points)
      : first_(static_cast<std::uint32_t>(map->size())),
        shift_((points->origin() - map->origin()).cast<float>()),
        map_(std::move(map)),
        points_(std::move(points)) {}

  void within(const Vector3d& p_W, double radius,
              std::vector<map::FoundSurfel>& found) const override {
    map_.within(p_W, radius, found);
    const std::size_t before = found.size();
    points_.within(p_W, radius, found);
    renumber(before, found);
  }
  void inBox(const Pose& X_WB, const Eigen::AlignedBox3d& box_B,
             std::vector<map::FoundSurfel>& found) const override {
    map_.inBox(X_WB, box_B, found);
    const std::size_t before = found.size();
    points_.inBox(X_WB, box_B, found);
    renumber(before, found);
  }
  double nearest(const Vector3d& p_W, double limit, map::FoundSurfel& point) const override {
    const double of_map = map_.nearest(p_W, limit, point);
    map::FoundSurfel other;
    const double of_points = points_.nearest(p_W, of_map, other);
    if (!(of_points < of_map)) return of_map;
    point = moved(other);
    return of_points;
  }
  Vector3d origin() const override { return map_.origin(); }
  double resolution() const override { return map_.resolution(); }

 private:
  map::FoundSurfel moved(map::FoundSurfel point) const {
    point.number += first_;
    point.position += shift_;
    return point;
  }
  void renumber(std::size_t from, std::vector<map::FoundSurfel>& found) const {
    for (std::size_t i = from; i < found.size(); ++i) found[i] = moved(found[i]);
  }

  std::uint32_t first_;    // number of the first point
  Eigen::Vector3f shift_;  // [m] from the map's origin to that of the points
  MapTree map_, points_;
};

}  // namespace

std::shared_ptr<const Neighbours> makeNeighbours(std::shared_ptr<const map::SurfelMap> map) {
  return std::make_shared<const MapTree>(std::move(map));
}

std::shared_ptr<const Neighbours> makeNeighbours(std::shared_ptr<const map::SurfelMap> map,
                                                 const std::vector<Vector3d>& others) {
  if (others.empty()) return makeNeighbours(std::move(map));
  std::vector<map::Surfel> balls;
  balls.reserve(others.size());
  const auto thickness = static_cast<float>(map->resolution());  // too thick to be planar
  for (const Vector3d& p : others) {
    balls.push_back({p.cast<float>(), Eigen::Vector3f::UnitZ(), thickness});
  }
  map::SurfelMapConfig config;
  config.resolution = map->resolution();
  return std::make_shared<const MapAndPoints>(
      std::move(map), std::make_shared<const map::SurfelMap>(std::move(balls), config));
}

}  // namespace marsim::collision
