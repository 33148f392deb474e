// SPDX-License-Identifier: BSD-3-Clause
#include "ros/suite/slam_flight.hpp"

#include <algorithm>
#include <cmath>

#include <ros/console.h>

#include "control/paths/excitation.hpp"
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

/// The motion that a reference describes. Its attitude is the yaw alone.
KinematicState motionOf(const control::Reference& reference) {
  KinematicState state;
  state.X_WB = {fromRollPitchYaw(0.0, 0.0, reference.yaw), reference.p_WB};
  state.v_WB = reference.v_WB;
  state.a_WB = reference.a_WB;
  state.w_WB_B.z() = reference.yaw_rate;
  return state;
}

}  // namespace

SlamFlight::SlamFlight(Params& params) {
  const vehicle::VehicleConfig vehicle = config::loadVehicle(params.text("vehicle"));
  const lidar::LidarConfig lidar = config::loadLidar(params.text("lidar"));
  const MapParams map(params);
  const std::string vegetation = params.text("vegetation");
  const double ground_z = params.numberOrAuto("ground_z", Quantity::kLength);
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
  const Eigen::Vector3d start = X_WB.p;
  const double room = map_->at(start).distance - radius_ - 0.5 * kMargin;
  const collision::SlamRoute route = collision::planSlamRoute(
      *map_, start, yawOf(X_WB.q), kWayPoints, radius_ + kMargin, lowest_z_, view_);
  ROS_INFO(
      "SLAM flight: %zu way points, %.0f %% of the surfaces' normals along the direction that they "
      "fix least (33 %% is best)",
      route.waypoints.size(), 100.0 * route.least_structure);
  if (route.least_structure < kThin) {
    ROS_WARN("SLAM flight: somewhere on the way little is in view that would fix the position");
  }
  const control::Excitation excitation(start, route.yaw, room);
  std::vector<scenario::Stage> stages = {
      {{}, {}, kRest, {}},
      {{start}, route.yaw, 0, {}},
      {{}, {}, toNs(control::Excitation::kDuration + 0.5), [excitation](TimeNs t) {
         return motionOf(excitation.at(toSeconds(t)));
       }}};
  for (const Eigen::Vector3d& place : route.waypoints) {
    stages.push_back({{place}, route.yaw, 0, {}});
  }
  return stages;
}

}  // namespace marsim::ros_nodes
