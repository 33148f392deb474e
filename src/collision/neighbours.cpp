// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "collision/disc_points.hpp"

namespace marsim::collision {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr double kSpacing = 0.02;  // [m] between points on a disc

class MapTree : public Neighbours {
 public:
  explicit MapTree(std::shared_ptr<const map::SurfelMap> map)
      : map_(std::move(map)), spacing_(pointSpacing(*map_)) {
    if (std::isfinite(spacing_)) reach_ = static_cast<double>(radiusOf(0));
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
    const Eigen::Matrix3d R_BO = X_OB.q.conjugate().toRotationMatrix();
    const Vector3d p_BO = -(R_BO * X_OB.p);
    keep(first, found,
         [&](const Vector3f& point) { return box_B.contains(p_BO + R_BO * point.cast<double>()); });
  }
  double nearest(const Vector3d& p_W, double limit, map::FoundSurfel& point) const override {
    const Vector3d p_O = p_W - map_->origin();
    if (reach_ == 0.0) return map::nearestSurfel(map_->tree(), p_O, limit, point);
    double best = map::nearestSurfel(map_->tree(), p_O, limit + reach_, point);
    std::vector<map::FoundSurfel> found;
    map::surfelsWithin(map_->tree(), p_O, std::min(best, limit) + reach_, found);
    best = limit;
    for (map::FoundSurfel& other : found) {
      other.position += towards(p_O, other);
      const double here = (other.position.cast<double>() - p_O).norm();
      if (here >= best) continue;
      best = here;
      point = other;
    }
    return best;
  }
  Vector3d origin() const override { return map_->origin(); }
  double resolution() const override { return map_->resolution(); }
  double spacing() const override { return spacing_; }

 private:
  float radiusOf(std::uint8_t size) const { return map_->radius() * map::kSizeFactors[size]; }

  // From a disc's middle to its place nearest to a point.
  Vector3f towards(const Vector3d& p_O, const map::FoundSurfel& disc) const {
    if (!disc.planar) return Vector3f::Zero();
    const Vector3f way = p_O.cast<float>() - disc.position, n = disc.normal.normalized();
    const Vector3f along = way - n * n.dot(way);
    const float radius = radiusOf(disc.size), length = along.norm();
    return length > radius ? Vector3f(radius / length * along) : along;
  }

  // Replaces discs by points on them, and drops points that are not wanted.
  template <class IsWanted>
  void keep(std::size_t first, std::vector<map::FoundSurfel>& found,
            const IsWanted& isWanted) const {
    if (reach_ == 0.0) return;
    const std::vector<map::FoundSurfel> middles(found.begin() + static_cast<std::ptrdiff_t>(first),
                                                found.end());
    found.resize(first);
    for (const map::FoundSurfel& middle : middles) {
      const float radius = middle.planar ? radiusOf(middle.size) : 0.0F;
      visitDiscPoints(middle.normal, radius, static_cast<float>(spacing_),
                      [&](const Vector3f& way) {
                        if (!isWanted(middle.position + way)) return;
                        found.push_back(middle);
                        found.back().position += way;
                      });
    }
  }

  std::shared_ptr<const map::SurfelMap> map_;
  double spacing_;
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
  double spacing() const override { return map_.spacing(); }

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

double pointSpacing(const map::SurfelMap& map) {
  const bool is_sized = map.config().surface == map::Surface::kSized;
  return is_sized ? kSpacing : std::numeric_limits<double>::infinity();
}

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
