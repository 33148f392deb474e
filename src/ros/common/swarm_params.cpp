// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/swarm_params.hpp"

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "ros/messages/peer_message.hpp"

namespace marsim::ros_nodes {

SwarmPlace readSwarmPlace(Params& params, const ros::NodeHandle& handle) {
  const std::string file = params.text("swarm", "");
  const int size = params.integer("swarm_size", 1, kMostUavs);
  const auto id = static_cast<int>(readUavId(params, handle));
  SwarmPlace place;
  if (file.empty()) return place;
  if (id >= size) {
    throw ConfigError(params.where(), "uav_id", fmt::format("{}", id),
                      fmt::format("a whole number from 0 to {} in a swarm of {}", size - 1, size));
  }
  const sim::SwarmConfig config = config::loadSwarm(file);
  place.start = sim::swarmStarts(config, size, file).at(static_cast<std::size_t>(id));
  if (const sim::SwarmMember* member = config.member(id)) {
    place.vehicle = member->vehicle;
    place.lidar = member->lidar;
  }
  return place;
}

vehicle::VehicleConfig readVehicle(Params& params, const ros::NodeHandle& handle) {
  return config::loadVehicle(given(readSwarmPlace(params, handle).vehicle, params.text("vehicle")));
}

}  // namespace marsim::ros_nodes
