#pragma once

#include <limits>
#include <optional>

#include <Eigen/Core>

#include "marsim/collision/clearance.hpp"

namespace marsim::collision {

/// The place 1.5 m above the ground that lies nearest to `middle` as seen from above, keeps
/// `clearance` [m] and is not below `lowest_z` [m]. The ground is the lowest surface where it goes
/// on for a metre on all sides at slopes of up to 45 degrees; `spacing` [m] is that of its points,
/// where it is known to be more than twice the map's resolution. None where there is no such place.
std::optional<Eigen::Vector3d> placeOverGround(
    const ClearanceMap& map, const Eigen::Vector3d& middle, double clearance, double spacing = 0.0,
    double lowest_z = -std::numeric_limits<double>::infinity());

}  // namespace marsim::collision
