// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include <Eigen/Geometry>

#include "marsim/collision/neighbours.hpp"
#include "marsim/map/point_cloud.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::collision {

/// An index of the map that gives distances from places to the map's points.
class ClearanceMap {
 public:
  /// Keeps a copy of the map's points, under a tree of its own; `resolution` [m] is the map's r.
  ClearanceMap(const map::PointCloud& cloud, double resolution);
  /// Searches the map's own tree, which takes no time to construct and no memory.
  explicit ClearanceMap(const std::shared_ptr<const map::SurfelMap>& map);
  /// Searches given points, such as those of a map and of plants on it; `bounds` [m] is the map's
  /// box.
  ClearanceMap(std::shared_ptr<const Neighbours> neighbours, const Eigen::AlignedBox3f& bounds);

  /// Distance [m] to the nearest map point and that point.
  struct NearestPoint {
    double distance = std::numeric_limits<double>::infinity();
    Eigen::Vector3d nearest = Eigen::Vector3d::Zero();  ///< [m] in W
  };
  NearestPoint at(const Eigen::Vector3d& p_W) const { return nearest_(p_W); }

  /// The place nearest to `p_W` with at least `clearance` [m] round it, at most `search_radius` [m]
  /// away, inside the map's box; none if there is no such place.
  std::optional<Eigen::Vector3d> nearestFree(const Eigen::Vector3d& p_W, double clearance,
                                             double search_radius) const;

  const Eigen::AlignedBox3f& bounds() const { return bounds_; }
  double resolution() const { return resolution_; }

 private:
  std::function<NearestPoint(const Eigen::Vector3d& p_W)> nearest_;
  Eigen::AlignedBox3f bounds_;
  double resolution_;
};

/// Checks a start. Throws Error naming the clearance and the nearest free place if the start lies
/// outside the map's box (grown by 1 m sideways and without a roof) or nearer than `radius` [m] to
/// a map point.
void requireFreeStart(const ClearanceMap& map, const Eigen::Vector3d& p_W, double radius);

}  // namespace marsim::collision
