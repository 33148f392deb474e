// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <Eigen/Core>

#include "marsim/common/bounds.hpp"
#include "marsim/common/settings.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::scene {

/// [m] Distance of neighbouring points, and standard deviation of points off their surface, of any
/// generated place.
constexpr Bounds kSpacings{0.002, 1.0}, kRangeNoises{0.0, 0.2};

/// Settings of a generated wood on gently rolling ground: trunks, crowns of leaves, bushes and a
/// few rocks. Trunks keep clear of the starting place at the origin. `surroundings` close the view
/// and do not change the wood within the size.
struct ForestConfig {
  static constexpr Bounds kSizes{5.0, 1000.0}, kTrees{0.0, 100.0}, kTreeSpacings{0.2, 100.0},
      kTreeHeights{3.0, 60.0}, kTrunkRadii{0.02, 1.5}, kReliefs{0.0, 20.0}, kRoughnesses{0.0, 1.0},
      kClearings{1.5, 100.0}, kSurroundings{0.0, 200.0};

  std::uint64_t seed = 1;
  double size_x = 48.0;  ///< [m] extent along x, centred on the origin
  double size_y = 28.0;  ///< [m] extent along y
  double trees_per_100_m2 = 4.0;
  double min_tree_spacing = 2.2;    ///< [m] between trunk axes
  double tree_height = 12.0;        ///< [m] mean
  double trunk_radius = 0.18;       ///< [m] mean, at breast height
  double ground_relief = 0.6;       ///< [m] peak to peak
  double ground_roughness = 0.015;  ///< [m] standard deviation of points off the relief
  double clearing_radius = 2.5;     ///< [m] without trees round the origin
  double surroundings = 10.0;       ///< [m] of wood and a bank around, beyond the size
  double spacing = 0.06;            ///< [m] mean distance of neighbouring points on surfaces
  double range_noise = 0.01;        ///< [m] standard deviation of points off their surface

  void declare(Settings& settings);
  void validate(const std::string& where) const { checkSettings(where, *this); }
};

/// Settings of a generated building: two rooms joined by a door, with windows, a table in one and
/// columns in the other.
struct BuildingConfig {
  static constexpr Bounds kRooms{4.0, 200.0}, kHeights{2.5, 30.0}, kWalls{0.02, 2.0};
  /// Also up to half the room's width, and to 0.1 m below the room's height.
  static constexpr Bounds kDoorWidths{0.6, 100.0}, kDoorHeights{1.8, 29.9};

  std::uint64_t seed = 1;
  double room_length = 10.0;    ///< [m] along x, each room
  double room_width = 8.0;      ///< [m] along y
  double height = 3.2;          ///< [m] clear height
  double wall_thickness = 0.2;  ///< [m]
  double door_width = 1.4;      ///< [m]
  double door_height = 2.2;     ///< [m]
  double spacing = 0.04;        ///< [m]
  double range_noise = 0.005;   ///< [m]

  void declare(Settings& settings);
  void validate(const std::string& where) const { checkSettings(where, *this); }
};

/// Points in W [m]; the same for the same configuration on every machine. Origin (0, 0) is a free
/// starting place at any height of 1 to 2 m above the ground (z = 0 there).
map::PointCloud makeForest(const ForestConfig& config);
/// As makeForest; the origin is the middle of the first room's floor.
map::PointCloud makeBuilding(const BuildingConfig& config);

}  // namespace marsim::scene
