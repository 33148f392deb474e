// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "marsim/common/settings.hpp"

namespace marsim::lidar {

/// Reflection of a surface beside scattering. Shares are of the light that remains after the
/// Fresnel reflection of `refractive_index`; with an index of 1, of all arriving light.
struct SurfaceConfig {
  double specular = 0.0;     ///< share that is mirrored at any angle
  double transparent = 0.0;  ///< share that goes straight on
  /// Brightness of retro-reflection at any angle; 1: as bright as a white diffuse surface met
  /// head-on; 0: none, the surface scatters by its reflectivity.
  double retro_reflective = 0.0;
  double bloom_angle = 0.0;  ///< [rad] beams that miss it by no more get some of its light
  double bloom_share = 0.0;  ///< of the light of a beam that meets it
  /// Index by which the surface mirrors unpolarised light, after Fresnel's formulas and the angle
  /// of incidence: glass 1.52, water 1.33, clear coat 1.5. With `transparent` both faces of a pane
  /// mirror. 1: no such mirror.
  double refractive_index = 1.0;

  void declare(Settings& settings);
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// Mirrors, panes and retro-reflectors, by class or object.
struct SurfacesConfig {
  std::map<std::uint8_t, SurfaceConfig> classes;   ///< of map, plants and objects
  std::map<std::uint32_t, SurfaceConfig> objects;  ///< by identity, instead of their classes'
  /// [m] Surfaces no farther than this from the plane of a mirror or pane belong to it: light that
  /// goes on passes through them.
  double clearance = 0.1;

  bool any() const { return !classes.empty() || !objects.empty(); }
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

}  // namespace marsim::lidar
