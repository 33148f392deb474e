// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "marsim/marsim.hpp"
#include "navigator.hpp"

namespace autonomy {

/// A UAV's way.
struct SwarmCourse {
  Eigen::Vector3d start, goal;  ///< [m]
};

/// Knowledge that the UAVs of a swarm have of each other beside their scans.
enum class Announcement {
  kNothing,
  kVelocities,  ///< place and velocity
  kPaths,       ///< planned path
};

struct SwarmConfig {
  std::vector<SwarmCourse> courses;  ///< one a UAV
  NavigatorConfig navigator;         ///< of each UAV; the vehicle sets the map's inflation
  Announcement announcement = Announcement::kPaths;
  double timeout = 60.0;  ///< [s] of the flight
};

/// Result for one UAV of a swarm.
struct SwarmMember {
  std::vector<Eigen::Vector3d> path;                         ///< [m] every 0.1 s
  double arrived = std::numeric_limits<double>::infinity();  ///< [s] after the start
  double length = 0.0;                                       ///< [m]
  double to_map = 1e3;   ///< [m] least distance of the vehicle's sphere from the map
  double to_uavs = 1e3;  ///< [m] from the spheres of the others
  int map_contacts = 0, uav_contacts = 0;
  int plans = 0, failed_plans = 0;
};

/// Several UAVs, each with a navigator of its own, in one world without ROS.
std::vector<SwarmMember> flySwarm(const SwarmConfig& config,
                                  std::shared_ptr<const marsim::map::SurfelMap> map);

}  // namespace autonomy
