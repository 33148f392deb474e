// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/bounds.hpp"
#include "marsim/common/settings.hpp"

namespace marsim::sim {

/// The arrangement of the starts of a swarm.
enum class Formation {
  kLine,    ///< abreast
  kGrid,    ///< rows of ceil(sqrt(n)) abreast, one behind another
  kCircle,  ///< evenly on one circle
  kRings,   ///< one in the middle and rings of 6, 12, 18, ... round it
  kPoses,   ///< as listed
};

/// The direction in which the UAVs of a formation look.
enum class Facing { kAlong, kOutward, kInward };  // kAlong: the formation's yaw

/// Settings of one UAV that replace the swarm's.
struct SwarmMember {
  int id = 0;
  std::optional<Eigen::Vector3d> position;  ///< p_WB [m]
  std::optional<double> yaw;                ///< [rad]
  std::string vehicle, lidar;               ///< names or files; empty: the swarm's
  /// Declares the fields of this struct as the keys of a YAML map.
  void declare(Settings& settings);
};

/// The formation in which the UAVs of a swarm start.
struct SwarmConfig {
  Formation formation = Formation::kGrid;
  Eigen::Vector3d origin{0.0, 0.0, 1.5};  ///< [m] in W, middle of the formation
  double yaw = 0.0;                       ///< [rad] of the formation's forward axis
  double spacing = 1.2;                   ///< [m] between neighbours; > 0
  double radius = 0.0;  ///< [m] least radius of the circle; larger if `spacing` needs it
  Facing facing = Facing::kAlong;
  std::vector<SwarmMember> members;  ///< each id at most once

  void declare(Settings& settings);
  /// Throws ConfigError.
  void validate(const std::string& where) const;
  /// The settings of one UAV; null where there are none.
  const SwarmMember* member(int id) const;
};

/// The place where a UAV starts.
struct Start {
  Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();  ///< [m]
  double yaw = 0.0;                                ///< [rad]
};

/// The starts of UAVs 0 to n - 1. Throws ConfigError where n is not 1 to kMostUavs, or the
/// formation is kPoses and a UAV has no position.
std::vector<Start> swarmStarts(const SwarmConfig& config, int n, const std::string& where);

/// A UAV at its start, for requireApart().
struct StartingUav {
  int id = 0;
  Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();  ///< [m]
  double radius = 0.0;                             ///< [m] of its bounding sphere
};

/// Throws ConfigError where two UAVs are nearer to each other than the sum of their radii.
void requireApart(const std::vector<StartingUav>& uavs, const std::string& where);

}  // namespace marsim::sim
