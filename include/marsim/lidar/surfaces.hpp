#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "marsim/common/settings.hpp"

namespace marsim::lidar {

/// What a surface does with light besides scattering what is left. Shares are of the light that
/// arrives.
struct SurfaceConfig {
  double specular = 0.0;     ///< share that is mirrored
  double transparent = 0.0;  ///< share that goes straight on
  /// How bright it shines back to where light comes from, whatever the angle: 1 as a white surface
  /// that scatters and is met squarely. 0: it does not, and scatters by its reflectivity.
  double retro_reflective = 0.0;
  double bloom_angle = 0.0;  ///< [rad] beams that go by no farther off get some of its light
  double bloom_share = 0.0;  ///< of what a beam gets that meets it

  void declare(Settings& settings);
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// Surfaces that LiDARs do not see as walls, by what is known of them.
struct SurfacesConfig {
  std::map<std::uint8_t, SurfaceConfig> classes;   ///< of map, plants and objects
  std::map<std::uint32_t, SurfaceConfig> objects;  ///< by identity, instead of their classes'
  /// [m] What is no farther than this from the plane of a mirror or pane belongs to it: light that
  /// goes on passes it.
  double clearance = 0.1;

  bool any() const { return !classes.empty() || !objects.empty(); }
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

}  // namespace marsim::lidar
