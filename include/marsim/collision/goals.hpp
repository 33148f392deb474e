// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "marsim/collision/clearance.hpp"

namespace marsim::collision {

/// Returns goals for a demonstration flight from `start`: `count` places at flying height, each
/// reached from the one before by a free straight segment, the last one near the start. No goal
/// lies below `lowest_z` [m]. Seeded; returns fewer than `count` goals where the map is too narrow,
/// none where the start is closed in.
std::vector<Eigen::Vector3d> chooseGoals(
    const ClearanceMap& map, const Eigen::Vector3d& start, int count, double clearance,
    std::uint64_t seed, double lowest_z = -std::numeric_limits<double>::infinity());

}  // namespace marsim::collision
