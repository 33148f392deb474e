// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <optional>

#include <Eigen/Core>

#include "marsim/collision/clearance.hpp"

namespace marsim::collision {

/// Returns the place 1.5 m above the ground nearest to `middle` in plan view that keeps `clearance`
/// [m] and is not below `lowest_z` [m]. Ground is the lowest surface that extends for a metre on
/// all sides at slopes of up to 45 degrees; `spacing` [m] is that of its points, if known to exceed
/// twice the map's resolution. None if no place meets this.
std::optional<Eigen::Vector3d> placeOverGround(
    const ClearanceMap& map, const Eigen::Vector3d& middle, double clearance, double spacing = 0.0,
    double lowest_z = -std::numeric_limits<double>::infinity());

}  // namespace marsim::collision
