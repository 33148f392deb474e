// SPDX-License-Identifier: BSD-3-Clause
#include "sim/start.hpp"

namespace marsim::sim {

void requireFreeStart(const collision::ClearanceMap& map, const Eigen::Vector3d& p_WB,
                      const vehicle::VehicleConfig& vehicle, double ground_z) {
  Eigen::Vector3d tried = p_WB;
  if (p_WB.z() - vehicle.ground_clearance < ground_z + map.resolution()) {
    tried.z() = ground_z + vehicle.radius + 2.0 * map.resolution();
  }
  collision::requireFreeStart(map, tried, vehicle.radius);
}

}  // namespace marsim::sim
