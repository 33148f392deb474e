// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "marsim/collision/neighbours.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::collision {

/// A plane with the ground on one side.
struct Plane {
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();        ///< [m] a point of it
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();  ///< unit, out of the ground

  double heightOf(const Eigen::Vector3d& p) const { return normal_W.dot(p - p_W); }  ///< [m]
};

/// The outermost points of a body, which can touch a plane: its feet, and the surface points
/// farthest in some hundred directions (exact within R / 200 for a hull of radius R).
class BodyHull {
 public:
  /// The feet are [m] in B; surface points below them are raised to their height.
  BodyHull(const map::PointCloud& cloud_B, std::vector<Eigen::Vector3d> feet_B);

  /// Height [m] of the lowest point over a plane, below 0 inside the ground.
  double lowest(const Plane& plane, const Pose& X_WB) const;
  /// Appends the points [m in B] lower than `height` [m] over a plane, only the outermost where
  /// there are many. Where there are several, their mean comes first.
  void appendBelow(const Plane& plane, const Pose& X_WB, double height,
                   std::vector<Eigen::Vector3d>& points_B) const;

  const std::vector<Eigen::Vector3d>& feet() const { return feet_; }      ///< [m] in B
  const std::vector<Eigen::Vector3d>& points() const { return points_; }  ///< [m] in B, feet first
  double radius() const { return radius_; }  ///< [m] of the bounding sphere about B's origin

 private:
  std::vector<Eigen::Vector3d> feet_, points_;
  double radius_ = 0.0;
};

/// Returns the map's surface that would carry a body standing upright: under its feet and between
/// them the uppermost points are planar surfels on one plane, no steeper than `steepest` [rad], and
/// nothing stands out of it. The search reaches as far below and above the body's lowest point as
/// such a slope can. None if there is no such surface.
std::optional<Plane> carryingSurface(const Neighbours& map, const BodyHull& body, const Pose& X_WB,
                                     double steepest);

}  // namespace marsim::collision
