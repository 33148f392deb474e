// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/neighbours.hpp"

#include <utility>

namespace marsim::collision {
namespace {

using Eigen::Vector3d;

class MapTree : public Neighbours {
 public:
  explicit MapTree(std::shared_ptr<const map::SurfelMap> map) : map_(std::move(map)) {}
  void within(const Vector3d& p_W, double radius,
              std::vector<map::FoundSurfel>& found) const override {
    map::surfelsWithin(map_->tree(), p_W - map_->origin(), radius, found);
  }
  void inBox(const Pose& X_WB, const Eigen::AlignedBox3d& box_B,
             std::vector<map::FoundSurfel>& found) const override {
    map::surfelsInBox(map_->tree(), {X_WB.q, X_WB.p - map_->origin()}, box_B, found);
  }
  double nearest(const Vector3d& p_W, double limit, map::FoundSurfel& point) const override {
    return map::nearestSurfel(map_->tree(), p_W - map_->origin(), limit, point);
  }
  Vector3d origin() const override { return map_->origin(); }
  double resolution() const override { return map_->resolution(); }

 private:
  std::shared_ptr<const map::SurfelMap> map_;
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
