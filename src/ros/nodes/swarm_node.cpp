// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/swarm_node.hpp"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <geometry_msgs/PoseArray.h>

#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "marsim/sim/swarm.hpp"
#include "ros/common/map_params.hpp"
#include "ros/messages/conversions.hpp"
#include "sim/obstacle_plants.hpp"
#include "sim/start.hpp"

namespace marsim::ros_nodes {
namespace {

using Vehicles = std::vector<vehicle::VehicleConfig>;

Vehicles vehiclesOf(const sim::SwarmConfig& swarm, int size, const std::string& usual) {
  std::map<std::string, vehicle::VehicleConfig> loaded;
  Vehicles vehicles;
  for (int id = 0; id < size; ++id) {
    const sim::SwarmMember* member = swarm.member(id);
    const std::string name = member == nullptr || member->vehicle.empty() ? usual : member->vehicle;
    if (loaded.count(name) == 0) loaded.emplace(name, config::loadVehicle(name));
    vehicles.push_back(loaded.at(name));
  }
  return vehicles;
}

void requireFreeStarts(const std::vector<sim::Start>& starts, const Vehicles& vehicles,
                       const MapParams& map, const std::string& vegetation, double ground_z) {
  const map::LoadedMap loaded = map.load("swarm");
  const collision::ClearanceMap clearance(
      sim::neighboursIn(loaded.map, config::loadVegetation(vegetation), vegetation),
      loaded.map->bounds());
  const double ground =
      std::isfinite(ground_z) ? ground_z : static_cast<double>(loaded.source.box.min().z());
  for (std::size_t id = 0; id < starts.size(); ++id) {
    try {
      sim::requireFreeStart(clearance, starts[id].p_WB, vehicles[id], ground);
    } catch (const Error& error) {
      throw Error(fmt::format("uav{}: {}", id, error.what()));
    }
  }
}

}  // namespace

SwarmNode::SwarmNode(ros::NodeHandle, ros::NodeHandle private_handle) {
  Params params(private_handle);
  const int size = params.integer("n", 1, kMostUavs);
  const std::string file = params.text("swarm");
  const std::string vehicle = params.text("vehicle");
  const std::string world_frame = params.text("world_frame", "world");
  const MapParams map(params);
  const std::string vegetation = params.text("vegetation");
  const double ground_z = params.numberOrAuto("ground_z", Quantity::kLength);
  const bool check_start = params.flag("check_start");
  params.finish();

  const sim::SwarmConfig swarm = config::loadSwarm(file);
  const std::vector<sim::Start> starts = sim::swarmStarts(swarm, size, file);
  const Vehicles vehicles = vehiclesOf(swarm, size, vehicle);
  std::vector<sim::StartingUav> uavs;
  for (std::size_t id = 0; id < starts.size(); ++id) {
    uavs.push_back({static_cast<int>(id), starts[id].p_WB, vehicles[id].radius});
  }
  sim::requireApart(uavs, file);
  if (check_start && !map.source.empty()) {
    requireFreeStarts(starts, vehicles, map, vegetation, ground_z);
  }

  geometry_msgs::PoseArray message;
  message.header.frame_id = world_frame;
  for (const sim::Start& start : starts) {
    message.poses.push_back(toPose({fromRollPitchYaw(0.0, 0.0, start.yaw), start.p_WB}));
  }
  starts_publisher_ = private_handle.advertise<geometry_msgs::PoseArray>("starts", 1, true);
  starts_publisher_.publish(message);
}

}  // namespace marsim::ros_nodes
