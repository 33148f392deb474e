// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "marsim/map/surfel_map.hpp"
#include "marsim/vehicle/vehicle_config.hpp"

namespace marsim::benchmarks {

/// Times of collision checks [us of processor time], means over some thousand poses.
struct CollisionTimes {
  std::size_t points = 0;        ///< of the map
  std::size_t cells = 0;         ///< of the body
  double touching = 0.0;         ///< share of the poses, 0 to 1
  double check_map_tree = 0.0;   ///< at random places: a full search at each, by the map's tree
  double check_kd_tree = 0.0;    ///< the same by nanoflann's tree, in turns
  double check_in_flight = 0.0;  ///< of a step of 1 ms at 5 m/s; most steps need no search
  double clearance = 0.0;        ///< exact, up to 2 m
  double rebuild = 0.0;          ///< tree of 100 moving objects, at least one of them within reach
  double rebuild_points = 0.0;   ///< points in that tree
};

CollisionTimes measureCollisions(const std::shared_ptr<const map::SurfelMap>& map,
                                 const vehicle::VehicleConfig& vehicle);

struct CollisionBench {
  std::string place = "building";
  double resolution = 0.02;  ///< [m] r of the map (`paper`): 4 million points
  std::string vehicle = "hummingbird";
  std::filesystem::path work;  ///< folder for clouds and maps
};

/// Measures collisions with the place's map.
CollisionTimes measureCollisions(const CollisionBench& bench);

/// Prints the times.
void runCollisionBench(const CollisionBench& bench);

}  // namespace marsim::benchmarks
