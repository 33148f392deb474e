#pragma once

#include <string>

#include <visualization_msgs/MarkerArray.h>

#include "marsim/vehicle/vehicle_config.hpp"

namespace marsim::ros_nodes {

/// A drawing of the vehicle from its own geometry, fixed to its frame: hub, arms and rotor discs
/// (the front pair in another colour).
visualization_msgs::MarkerArray vehicleMarkers(const vehicle::VehicleConfig& config,
                                               const std::string& frame);

}  // namespace marsim::ros_nodes
