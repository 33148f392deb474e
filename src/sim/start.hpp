#pragma once

#include <Eigen/Core>

#include "marsim/collision/clearance.hpp"
#include "marsim/vehicle/vehicle_config.hpp"

namespace marsim::sim {

/// Whether a vehicle may start at p_WB [m] in a map whose ground is a plane at ground_z [m]: its
/// sphere touches nothing of the map. One that stands on the ground touches it, so that its sphere
/// is tried above it. Throws as collision::requireFreeStart does.
void requireFreeStart(const collision::ClearanceMap& map, const Eigen::Vector3d& p_WB,
                      const vehicle::VehicleConfig& vehicle, double ground_z);

}  // namespace marsim::sim
