// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "marsim/collision/clearance.hpp"

namespace marsim::collision {

/// First place along a segment nearer than `clearance` [m] to the map; none where it is free.
std::optional<Eigen::Vector3d> firstBlocked(const ClearanceMap& map, const Eigen::Vector3d& from,
                                            const Eigen::Vector3d& to, double clearance);

/// Settings of a search for goals and for routes between them.
struct RouteConfig {
  double clearance = 0.5;  ///< [m] kept to the map everywhere
  double cell = 0.25;      ///< [m] side of the search grid's cells
  double lowest_z = -std::numeric_limits<double>::infinity();  ///< [m] least height of way points
  std::size_t max_cells = 4'000'000;  ///< visited before the search gives up
};

/// Way points from `from` to `to` (both included) whose segments all keep the clearance: the
/// straight segment if it is free, else the shortest path through the grid (A*), shortened where
/// way points can be skipped. None without a path (or if max_cells is reached).
std::optional<std::vector<Eigen::Vector3d>> findRoute(const ClearanceMap& map,
                                                      const Eigen::Vector3d& from,
                                                      const Eigen::Vector3d& to,
                                                      const RouteConfig& config);

/// Whether any surface lies below a place. A place without one probably lies outside the scanned
/// area (beyond a window or a hole in a wall).
bool isOverFloor(const ClearanceMap& map, const Eigen::Vector3d& p);

}  // namespace marsim::collision
