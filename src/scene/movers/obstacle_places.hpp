// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "marsim/scene/obstacles.hpp"

namespace marsim::scene {

/// Places where a group's obstacles can begin, found once. All in W [m].
struct ObstaclePlaces {
  std::vector<Eigen::Vector3d> free;  ///< centres; feet of walkers

  /// A walk along the ground that keeps clear of the map: its corners, both ends included.
  struct Way {
    std::uint32_t to;  ///< number of its last place
    std::vector<Eigen::Vector3d> corners;
  };
  std::vector<std::vector<Way>> ways;  ///< for walkers: at least one from each place
};

/// Free space that a place of a group needs.
struct Room {
  double radius;        ///< [m] of a sphere about the centre, or of a walker's upright capsule
  double height = 0.0;  ///< [m] of the capsule
};

/// Throws ConfigError if there are no places. `seed`: the group's.
ObstaclePlaces findPlaces(const ObstacleGroup& group, const Room& room, std::uint64_t seed,
                          const MapDistance& clearance, const std::string& where);

}  // namespace marsim::scene
