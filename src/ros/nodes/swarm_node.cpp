#include "ros/nodes/swarm_node.hpp"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <geometry_msgs/PoseArray.h>

#include "marsim/common/error.hpp"
#include "marsim/common/progress.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/load_map.hpp"
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
    if (loaded.count(name) == 0) loaded.emplace(name, config::loadVehicle(name).vehicle);
    vehicles.push_back(loaded.at(name));
  }
  return vehicles;
}

void requireFreeStarts(const std::vector<sim::Start>& starts, const Vehicles& vehicles,
                       const std::string& map_file, const map::SurfelMapConfig& config,
                       const std::string& vegetation, double ground_z) {
  Progress progress("swarm");
  const map::LoadedMap loaded = map::shareSurfelMap(config::resolveMap(map_file), config, progress);
  const collision::ClearanceMap clearance(
      sim::neighboursIn(loaded.map, config::loadVegetation(vegetation), vegetation),
      loaded.map->bounds());
  progress.finish();
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
  const int size = params.integer("n", 1, 1, kMostUavs);
  const std::string file = params.text("swarm", "grid");
  const std::string vehicle = params.text("vehicle", "hummingbird");
  const std::string world_frame = params.text("world_frame", "world");
  const std::string map_file = params.text("map", "forest");
  const map::SurfelMapConfig map_config = readMapConfig(params);
  const std::string vegetation = params.text("vegetation", "none");
  const double ground_z = params.numberOrAuto("ground_z", Quantity::kLength);
  const bool check_start = params.flag("check_start", true);
  params.finish();

  const sim::SwarmConfig swarm = config::loadSwarm(file);
  const std::vector<sim::Start> starts = sim::swarmStarts(swarm, size, file);
  const Vehicles vehicles = vehiclesOf(swarm, size, vehicle);
  std::vector<sim::StartingUav> uavs;
  for (std::size_t id = 0; id < starts.size(); ++id) {
    uavs.push_back({static_cast<int>(id), starts[id].p_WB, vehicles[id].radius});
  }
  sim::requireApart(uavs, file);
  if (check_start && !map_file.empty()) {
    requireFreeStarts(starts, vehicles, map_file, map_config, vegetation, ground_z);
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
