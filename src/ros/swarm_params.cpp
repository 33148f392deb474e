#include "marsim/ros/swarm_params.hpp"

#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"

namespace marsim::ros_nodes {
namespace {

/// The number in the parameter, or at the end of the namespace where that says auto.
double numberOf(Params& params, const ros::NodeHandle& handle) {
  const double set = params.numberOrAuto("uav_id", Quantity::kNumber);
  if (!std::isnan(set)) return set;
  const std::string name = handle.getNamespace();
  const std::string digits = name.substr(name.find_last_not_of("0123456789") + 1);
  return digits.empty() ? 0.0 : parseQuantity(digits, Quantity::kNumber);
}

}  // namespace

SwarmPlace readSwarmPlace(Params& params, const ros::NodeHandle& handle) {
  const std::string file = params.text("swarm", "");
  const int size = params.integer("swarm_size", 1, 1, sim::kMostUavs);
  const double id = numberOf(params, handle);
  SwarmPlace place;
  if (file.empty()) return place;
  if (!(id >= 0.0 && id < size && id == std::floor(id))) {
    throw ConfigError(params.where(), "uav_id", fmt::format("{}", id),
                      fmt::format("a whole number from 0 to {} in a swarm of {}", size - 1, size));
  }
  const sim::SwarmConfig config = config::loadSwarm(file);
  place.start = sim::swarmStarts(config, size, file).at(static_cast<std::size_t>(id));
  if (const sim::SwarmMember* member = config.member(static_cast<int>(id))) {
    place.vehicle = member->vehicle;
    place.lidar = member->lidar;
  }
  return place;
}

}  // namespace marsim::ros_nodes
