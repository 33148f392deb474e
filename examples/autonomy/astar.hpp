// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include "local_map.hpp"

namespace autonomy {

/// Returns the shortest way between two places of the map over centres of neighbouring cells (26 of
/// a cell) that are not blocked, by A* (Hart, Nilsson and Raphael 1968). Blocked ends are moved to
/// the nearest free cell. Empty: none was found within `most` visited cells. It passes close to
/// obstacles, and stands for their surface (Zhong 2023, section 4.3.2).
std::vector<Eigen::Vector3d> findPath(const LocalMap& map, const Eigen::Vector3d& from,
                                      const Eigen::Vector3d& to, std::size_t most = 30000);

}  // namespace autonomy
