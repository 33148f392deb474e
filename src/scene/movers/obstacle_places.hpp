#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "marsim/scene/obstacles.hpp"

namespace marsim::scene {

/// Where a group's obstacles can begin, found once. All in W [m].
struct ObstaclePlaces {
  std::vector<Eigen::Vector3d> free;  ///< of centres; of walkers: of feet

  /// A walk that keeps clear of the map, along the ground: its corners, both ends included.
  struct Way {
    std::uint32_t to;  ///< place
    std::vector<Eigen::Vector3d> corners;
  };
  std::vector<std::vector<Way>> ways;  ///< of walkers: from each place, at least one
};

/// The room that a place of a group must have.
struct Room {
  double radius;        ///< [m] of a ball about the centre; of a walker's upright capsule
  double height = 0.0;  ///< [m] of that
};

/// Throws ConfigError where there is none. `seed`: of the group.
ObstaclePlaces findPlaces(const ObstacleGroup& group, const Room& room, std::uint64_t seed,
                          const MapDistance& clearance, const std::string& where);

}  // namespace marsim::scene
