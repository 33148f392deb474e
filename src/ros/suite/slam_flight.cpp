// SPDX-License-Identifier: BSD-3-Clause
#include "ros/suite/slam_flight.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <ros/console.h>

#include "config/load_multirotor.hpp"
#include "lidar/measure/field_of_view.hpp"
#include "marsim/config/load.hpp"
#include "ros/common/map_params.hpp"
#include "sim/obstacle_plants.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr int kWayPoints = 3;        // that are chosen
constexpr double kMargin = 0.2;      // [m] kept to the map beside the vehicle's radius
constexpr double kMostReach = 30.0;  // [m] structure farther away does not count
constexpr double kThin = 0.06;       // of structureInView(): less may lose the client
constexpr TimeNs kRest = 2 * kNsPerSecond;

constexpr double kClimb = 1.5;      // [m]
constexpr double kStanding = 0.05;  // [m] above the ground, within which a UAV stands
const Bounds kRoutes{0.0, 1e5};     // [m]

double lengthOf(Eigen::Vector3d from, const std::vector<Eigen::Vector3d>& places) {
  double length = 0.0;
  for (const Eigen::Vector3d& place : places) length += (place - std::exchange(from, place)).norm();
  return length;
}

}  // namespace

SlamFlight::SlamFlight(Params& params) {
  const vehicle::VehicleConfig vehicle = config::loadMultirotor(params.text("vehicle"));
  const lidar::LidarConfig lidar = config::loadLidar(params.text("lidar"));
  const MapParams map(params);
  const std::string vegetation = params.text("vegetation");
  const double ground_z = params.numberOrAuto("ground_z", Quantity::kLength);
  route_length_ = params.number("route_length", Quantity::kLength);
  kRoutes.require(params.where(), "route_length", route_length_, "m");
  const map::LoadedMap loaded = map.load("scenario_runner");
  map_ = std::make_unique<collision::ClearanceMap>(
      sim::neighboursIn(loaded.map, config::loadVegetation(vegetation), vegetation),
      loaded.map->bounds());
  const double ground =
      std::isfinite(ground_z) ? ground_z : static_cast<double>(loaded.source.box.min().z());
  radius_ = vehicle.radius;
  lowest_z_ = ground + vehicle.ground_clearance;
  const lidar::AngularSector sector = lidar::viewInBody(lidar);
  view_ = {sector.azimuth_min, sector.azimuth_max, sector.elevation_min, sector.elevation_max,
           std::min(lidar.range_max, kMostReach)};
}

std::vector<scenario::Stage> SlamFlight::from(const Pose& X_WB) const {
  std::vector<scenario::Stage> stages = {{{}, {}, kRest, {}}};
  Eigen::Vector3d start = X_WB.p;
  const bool stands = start.z() < lowest_z_ + kStanding;
  if (stands) {
    stages.push_back(scenario::climb(X_WB, kClimb));
    start.z() += kClimb;
  }
  const double room = map_->at(start).distance - radius_ - 0.5 * kMargin;
  const collision::SlamRoute route = collision::planSlamRoute(
      *map_, start, yawOf(X_WB.q), kWayPoints, radius_ + kMargin, lowest_z_, view_);
  const double length = lengthOf(start, route.waypoints);
  ROS_INFO(
      "SLAM flight: %zu way points in a round of %.1f m, %.0f %% of the surfaces' normals along "
      "the direction that they "
      "fix least (33 %% is best)",
      route.waypoints.size(), length, 100.0 * route.least_structure);
  if (route.least_structure < kThin) {
    ROS_WARN("SLAM flight: somewhere on the way little is in view that would fix the position");
  }
  stages.push_back({{start}, route.yaw, 0, {}});
  stages.push_back(scenario::excite({fromRollPitchYaw(0.0, 0.0, route.yaw), start}, room));
  double flown = 0.0;
  do {
    for (const Eigen::Vector3d& place : route.waypoints) {
      stages.push_back({{place}, route.yaw, 0, {}});
    }
    flown += length;
  } while (flown < route_length_ && length > 0.0);
  if (stands) stages.push_back(scenario::landing(X_WB.p));
  return stages;
}

}  // namespace marsim::ros_nodes
