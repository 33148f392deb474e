// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/common/settings.hpp"
#include "marsim/map/semantic_class.hpp"
#include "marsim/scene/vegetation.hpp"

namespace marsim::scene {

/// The look of a species' plants, as in a file of config/species. Each plant draws its values
/// evenly from the intervals.
struct SpeciesConfig {
  enum class Kind {
    kStems,  ///< "stems": blades of grass, reeds; a stem each, of one or more straight pieces
    kShrub,  ///< "shrub": a trunk, twigs from its top into a round crown, and leaves in the crown
  };
  Kind kind = Kind::kStems;
  double height_min = 0.1, height_max = 0.25;         ///< [m]
  double diameter_min = 0.003, diameter_max = 0.005;  ///< [m] of a stem, or a shrub's trunk
  double reflectivity = 0.5;                          ///< 0 to 1, of stems and leaves
  std::uint8_t semantic_class = map::semantic::kVegetation;
  bool is_obstacle = false;  ///< UAVs touch it; else they fly through
  // Stems:
  double lean = 0.0;  ///< [rad] most that a stem's foot leans; each next piece leans as much more
  int pieces = 1;     ///< of one length, from full diameter at the foot to half of it at the tip
  // Shrubs:
  double crown_width = 0.8, crown_height = 0.8;  ///< [m] the crown reaches up to the height
  int twigs = 40;
  double twig_diameter = 0.006;  ///< [m]
  int leaves = 800;
  double leaf_min = 0.03, leaf_max = 0.05;  ///< [m] diameter
  double wood_reflectivity = 0.25;          ///< 0 to 1, of trunk and twigs
  std::uint8_t wood_class = map::semantic::kTrunk;

  void declare(Settings& settings);
  void validate(const std::string& where) const { checkSettings(where, *this); }
};

/// Plants of one species over a region.
struct StandConfig {
  SpeciesConfig species;
  double density = 1.0;                     ///< [1/m^2]
  double scale_min = 1.0, scale_max = 1.0;  ///< of a shrub, or of the height of stems
  /// [m] in W: x and y where plants stand; the ground is the lowest surface between both z.
  Eigen::AlignedBox3d region{Eigen::Vector3d::Constant(-std::numeric_limits<double>::infinity()),
                             Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity())};
  /// Density and scale.
  void declare(Settings& settings);
};

/// The vegetation of a world, as in a file of config/vegetation.
struct VegetationConfig {
  std::uint64_t seed = 1;
  Sway sway;
  std::vector<StandConfig> stands;

  /// Whether UAVs touch any of it.
  bool hasObstacles() const;
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// Most plants of a world, stems counted singly, and most instances of patches.
constexpr double kMaxPlants = 1e8;
constexpr double kMaxPlantInstances = 2e6;

/// The ground's height [m] at places in W, the lowest surface between two heights [m]; NaN where
/// there is none.
using GroundHeights = std::function<std::vector<double>(const std::vector<Eigen::Vector2d>& places,
                                                        double z_min, double z_max)>;

/// Grows patches of every stand's species and sets them on the ground. Stems stand in rectangular
/// patches side by side, each one of a few that are grown; shrubs and sparse stems stand singly.
/// `bounds` [m] in W is the map's box; regions end there.
/// Deterministic in the seed. Throws ConfigError, also for a region outside the map or without
/// ground, and for more plants than a world may have.
Vegetation plantVegetation(const VegetationConfig& config, const Eigen::AlignedBox3d& bounds,
                           const GroundHeights& ground, const std::string& where);

}  // namespace marsim::scene
