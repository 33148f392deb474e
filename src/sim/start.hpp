// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include "marsim/collision/clearance.hpp"
#include "marsim/vehicle/vehicle_config.hpp"

namespace marsim::sim {

/// Checks whether a vehicle may start at p_WB [m] in a map whose ground is a plane at ground_z [m]:
/// its bounding sphere must not touch the map. For a vehicle that stands on the ground the sphere
/// is raised above it. Throws as collision::requireFreeStart does.
void requireFreeStart(const collision::ClearanceMap& map, const Eigen::Vector3d& p_WB,
                      const vehicle::VehicleConfig& vehicle, double ground_z);

}  // namespace marsim::sim
