// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "marsim/collision/neighbours.hpp"
#include "marsim/vehicle/differential_drive.hpp"

namespace marsim::sim {

/// Ground of a map for wheels of a radius [m]: a mean of the map's surfels around a place, nearer
/// ones counting more, so that it is smooth along a way. `map` may be null. The plane z =
/// `ground_z` [m] (-inf: none) lies under all of it; it counts in searches around p_W only, so that
/// a hole in the map is no drop.
vehicle::GroundIn groundOf(std::shared_ptr<const collision::Neighbours> map, double ground_z,
                           double wheel_radius);

}  // namespace marsim::sim
