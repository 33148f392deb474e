// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <visualization_msgs/MarkerArray.h>

#include "marsim/vehicle/vehicle_config.hpp"

namespace marsim::ros_nodes {

/// Red, green, blue, opacity, 0 to 1.
struct Rgba {
  float red, green, blue, alpha;
};
/// A marker without a size at the origin of a frame that the caller names.
visualization_msgs::Marker makeMarker(const std::string& space, int id, int type,
                                      const Rgba& colour);

/// A drawing of the vehicle from its own geometry, fixed to its frame: hub, arms and rotor discs
/// (the front pair in another colour).
visualization_msgs::MarkerArray vehicleMarkers(const vehicle::VehicleConfig& config,
                                               const std::string& frame);

}  // namespace marsim::ros_nodes
