// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include "marsim/map/surfel_map.hpp"
#include "marsim/map/surfel_search.hpp"

namespace marsim::collision {

/// Searches the points of a static map: its surfels' positions; for surfels of several sizes, which
/// end where their surface does, also points on their discs. Points are given relative to origin(),
/// rounded to single precision as map::decodeSurfels() does. Safe to use from several threads.
class Neighbours {
 public:
  virtual ~Neighbours() = default;
  /// Appends every point within `radius` [m] of `p_W`, in any order.
  virtual void within(const Eigen::Vector3d& p_W, double radius,
                      std::vector<map::FoundSurfel>& found) const = 0;
  /// Appends every point in a box of a frame B at X_WB and maybe, for rounding, points within a
  /// nanometre of it, in any order.
  virtual void inBox(const Pose& X_WB, const Eigen::AlignedBox3d& box_B,
                     std::vector<map::FoundSurfel>& found) const = 0;
  /// Distance [m] to the nearest place of a disc, or to the nearest point; `limit` [m], and any
  /// point, where none is nearer.
  virtual double nearest(const Eigen::Vector3d& p_W, double limit,
                         map::FoundSurfel& point) const = 0;
  /// Origin [m in W] of the points' coordinates.
  virtual Eigen::Vector3d origin() const = 0;
  /// Resolution r [m] of the map.
  virtual double resolution() const = 0;
  /// Spacing [m] of the points on a disc; infinite: positions alone.
  virtual double spacing() const { return std::numeric_limits<double>::infinity(); }
};

/// Spacing [m] of points on the discs of a map; infinite: positions alone.
double pointSpacing(const map::SurfelMap& map);
/// Searches the map's own tree; keeps the map.
std::shared_ptr<const Neighbours> makeNeighbours(std::shared_ptr<const map::SurfelMap> map);
/// Searches the points of a map and `others` [m in W], such as scene::obstaclePoints(). The others
/// are numbered after the map's points and are not planar.
std::shared_ptr<const Neighbours> makeNeighbours(std::shared_ptr<const map::SurfelMap> map,
                                                 const std::vector<Eigen::Vector3d>& others);

}  // namespace marsim::collision
