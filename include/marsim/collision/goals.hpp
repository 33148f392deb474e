#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "marsim/collision/clearance.hpp"

namespace marsim::collision {

/// Goals for a demonstration flight from `start`: `count` places at flying height, each reached
/// from the one before by a free straight segment of some length, the last of them back near the
/// start. None of them but the start lies below `lowest_z` [m]. Seeded; fewer than `count` where
/// the place is too narrow, none where it is closed in.
std::vector<Eigen::Vector3d> chooseGoals(
    const ClearanceMap& map, const Eigen::Vector3d& start, int count, double clearance,
    std::uint64_t seed, double lowest_z = -std::numeric_limits<double>::infinity());

}  // namespace marsim::collision
