// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/collision/clearance.hpp"
#include "scenario/scenario.hpp"

namespace marsim::tools {

/// The flight of `marsim demo`.
struct FlightPlan {
  std::string map;       ///< absolute path of the map file
  std::string map_name;  ///< for the user: the bundled place, or the file without its folder
  Eigen::Vector3d start = Eigen::Vector3d::Zero();  ///< [m] in W
  std::vector<scenario::Way> ways;                  ///< free straight segments
  std::filesystem::path output;                     ///< absolute folder

  std::vector<Eigen::Vector3d> goals() const;
  /// [m] from the start through all way points.
  double length() const;
};

/// No lower bound of z.
constexpr double kAnyHeight = -std::numeric_limits<double>::infinity();

/// Throws Error if a place, called `what`, lies below `lowest_z` [m], the centre of a vehicle that
/// stands on the ground.
void requireAboveGround(const std::string& what, const Eigen::Vector3d& p_W, double lowest_z);

/// Chooses a start if none was given: `usual` if it is free and over ground; else the free place
/// 1.5 m above the lowest surface nearest to it (to the middle of the map if `usual` lies outside);
/// else, without scanned ground, the free place nearest to the middle. Throws Error if there is
/// none, or it lies below lowest_z [m].
Eigen::Vector3d chooseStart(const collision::ClearanceMap& map, const Eigen::Vector3d& usual,
                            double clearance, double lowest_z = kAnyHeight);

/// Ways to goals chosen by collision::chooseGoals, none below lowest_z [m]. Throws Error if there
/// are none.
std::vector<scenario::Way> chooseWays(const collision::ClearanceMap& map,
                                      const Eigen::Vector3d& start, int count, double clearance,
                                      std::uint64_t seed, double lowest_z = kAnyHeight);

/// Ways to given goals, around obstacles. Throws Error naming the goal and the blocking place if a
/// goal is too near to the map, lies below lowest_z [m] or cannot be reached.
std::vector<scenario::Way> findWays(const collision::ClearanceMap& map,
                                    const Eigen::Vector3d& start,
                                    const std::vector<Eigen::Vector3d>& goals, double clearance,
                                    double lowest_z = kAnyHeight);

}  // namespace marsim::tools
