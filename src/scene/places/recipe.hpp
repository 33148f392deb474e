// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/common/progress.hpp"
#include "marsim/common/settings.hpp"
#include "marsim/map/point_cloud.hpp"
#include "scene/places/materials.hpp"

namespace marsim::scene {

/// A door or window of a wall, or a row of them; `at` is the middle's distance along the wall.
struct Opening {
  double at = 0.0;      ///< [m]
  double width = 1.0;   ///< [m]
  double bottom = 0.0;  ///< [m] above the wall's foot
  double height = 2.1;  ///< [m]
  int count = 1;        ///< of a row
  double every = 0.0;   ///< [m] between the middles of a row
};

/// Random places of a part over an area.
struct Scatter {
  int count = 0;
  double density = 0.0;      ///< [1/m^2], if count is 0
  Eigen::AlignedBox2d area;  ///< [m]; empty: the whole place, or the ring around it
  double gap = 0.0;          ///< [m] free between the rims of scattered parts
  bool turn = true;          ///< each turned by a random angle about z
};

/// One entry of a recipe: a kind of part with its dimensions and place. Coordinates are relative to
/// its group; z is above the ground there.
struct Part {
  std::string kind;                      ///< name in partKinds(), or "group"
  std::map<std::string, double> values;  ///< given values of the kind's parameters
  std::vector<Eigen::Vector3d> path;     ///< [m]
  std::vector<Opening> openings;
  Eigen::AlignedBox2d area;                ///< [m] of a slab
  std::vector<Eigen::AlignedBox2d> holes;  ///< [m] of a slab
  SurfaceChoice surface;                   ///< in place of the kind's own

  Eigen::Vector3d at = Eigen::Vector3d::Zero();    ///< [m]
  double yaw = 0.0;                                ///< [rad]
  std::array<int, 3> count{1, 1, 1};               ///< of an array, along x, y, z
  Eigen::Vector3d step = Eigen::Vector3d::Zero();  ///< [m] of an array
  double share = 1.0;                              ///< of an array's elements that exist, at random
  double scale_min = 1.0, scale_max = 1.0;         ///< of all dimensions, at random
  std::optional<Scatter> scatter;
  std::vector<Part> parts;  ///< of a group
};

/// Uneven ground under a place.
struct GroundConfig {
  double relief = 0.0;      ///< [m] peak to peak
  double roughness = 0.01;  ///< [m] standard deviation of points off the relief
  double margin = 0.0;      ///< [m] by which the ground extends beyond the place
  SurfaceChoice surface;    ///< in place of green grass
  void declare(Settings& settings);
};

/// A place composed of parts. Coordinates begin at a lower corner: x from 0 to size x.
struct Recipe {
  std::uint64_t seed = 1;
  Eigen::Vector3d size = {20.0, 20.0, 5.0};  ///< [m]
  Eigen::Vector3d start = {1.0, 1.0, 0.0};   ///< [m] W's origin, on floor or ground
  double clearing = 1.5;                     ///< [m] round the start without scattered parts
  double spacing = 0.05;                     ///< [m] mean distance of neighbouring points
  double range_noise = 0.008;                ///< [m] standard deviation of points off their surface
  /// Share of points missing where the scan is thinnest, 0 to 0.9; varies over metres.
  double density_variation = 0.0;
  std::optional<GroundConfig> ground;
  std::vector<Part> parts;         ///< points beyond the size are left out
  std::vector<Part> surroundings;  ///< beyond the size

  void declare(Settings& settings);
  void validate(const std::string& where) const;
};

/// Points in W [m], the same for the same recipe on every machine. Throws ConfigError, which names
/// `where`, for settings out of bounds and for scattered parts that do not fit.
map::PointCloud makeRecipe(const Recipe& recipe, const std::string& where, Progress& progress);

}  // namespace marsim::scene
