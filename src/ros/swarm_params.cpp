#include "marsim/ros/swarm_params.hpp"

#include "marsim/config/load.hpp"

namespace marsim::ros_nodes {

SwarmPlace readSwarmPlace(Params& params) {
  const std::string file = params.text("swarm", "");
  const int size = params.integer("swarm_size", 1, 1, sim::kMostUavs);
  const int id = params.integer("uav_id", 0, 0, size - 1);
  SwarmPlace place;
  if (file.empty()) return place;
  const sim::SwarmConfig config = config::loadSwarm(file);
  place.start = sim::swarmStarts(config, size, file).at(static_cast<std::size_t>(id));
  if (const sim::SwarmMember* member = config.member(id)) {
    place.vehicle = member->vehicle;
    place.lidar = member->lidar;
  }
  return place;
}

}  // namespace marsim::ros_nodes
