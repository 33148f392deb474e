// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include "marsim/collision/clearance.hpp"
#include "marsim/common/units.hpp"

namespace marsim::collision {

/// The field of view of a range sensor, about its heading.
struct ViewLimits {
  double azimuth_min = -kPi, azimuth_max = kPi;      ///< [rad]
  double elevation_min = -0.5, elevation_max = 0.5;  ///< [rad]
  double reach = 20.0;                               ///< [m]
};

/// How well scans taken from a place at a heading [rad] fix the sensor's position: the smallest
/// eigenvalue of the mean of n n^T over rays spread evenly in the view, with n the normal of the
/// surface that a ray meets; a ray without a hit counts as 0. The largest value is 1/3; 0 means
/// that the sensor can slide along some direction unnoticed (one wall, a tunnel, nothing in view).
/// Normals come from single points of the map, which adds up to 0.03.
double structureInView(const ClearanceMap& map, const Eigen::Vector3d& p_W, double yaw,
                       const ViewLimits& view);

/// Way points for a SLAM flight at one heading; the last one is the start.
struct SlamRoute {
  std::vector<Eigen::Vector3d> waypoints;  ///< [m] in W, joined by free straight segments
  double yaw = 0.0;                        ///< [rad]
  double least_structure = 0.0;            ///< least structureInView() along the way
};

/// A route with `count` goals: of several choices (chooseGoals) and headings the one with the most
/// structure in view all along; the start's own heading [rad] if others are hardly better. Throws
/// Error if there is no goal.
SlamRoute planSlamRoute(const ClearanceMap& map, const Eigen::Vector3d& start, double yaw,
                        int count, double clearance, double lowest_z, const ViewLimits& view);

}  // namespace marsim::collision
