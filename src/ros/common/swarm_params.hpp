// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "marsim/config/load.hpp"
#include "marsim/sim/swarm.hpp"
#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

/// A UAV's settings from a swarm's file.
struct SwarmPlace {
  std::optional<sim::Start> start;  ///< none: the UAV is in no swarm
  std::string vehicle, lidar;       ///< in place of these parameters; or empty
};

/// Reads the parameters `swarm` (a formation of config/swarm or a YAML file; empty, the default: in
/// no swarm), `swarm_size` and `uav_id` (auto, the default: the digits at the end of the UAV's
/// namespace `handle`, or 0). Throws ConfigError and the errors of config::loadSwarm.
SwarmPlace readSwarmPlace(Params& params, const ros::NodeHandle& handle);
/// The vehicle of the swarm's file or, where it names none, of the parameter `vehicle`.
vehicle::VehicleConfig readVehicle(Params& params, const ros::NodeHandle& handle);
/// The swarm file's word if it has one, else the parameter.
inline std::string given(const std::string& by_swarm, const std::string& by_parameter) {
  return by_swarm.empty() ? by_parameter : by_swarm;
}

}  // namespace marsim::ros_nodes
