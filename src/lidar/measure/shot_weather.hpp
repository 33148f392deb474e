// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "lidar/measure/echo_receiver.hpp"
#include "lidar/measure/range_limit.hpp"
#include "lidar/measure/shot_noise.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/lidar/weather.hpp"

namespace marsim::lidar {

/// Echoes of particles in the air along a beam, a Poisson process: along a metre there are
/// `density` exp(-x) echoes of size x or more, x being the least size that is seen. Drops and
/// flakes: x is the diameter in units of its scale, and the light grows with x squared. Fog and
/// dust: the light of a pulse fluctuates like speckle.
class ParticleEchoes {
 public:
  /// Energy of an echo of size x at range r: strength(r, x) exp(-2 a r) / r^2.
  struct Medium {
    bool is_soft = false;      ///< countless particles, whose strongest echo counts
    double density = 0.0;      ///< [1/m] or, of drops, [1/m^3], of all sizes
    double solid_angle = 0.0;  ///< [sr] of the beam
    double strength = 0.0;     ///< soft: at x = 1; else of a particle as wide as the beam
    double scale = 0.0;        ///< [m] e-folding diameter of drops
  };
  /// Echoes that the limit lets be seen, between two ranges. `extinction` [1/m].
  ParticleEchoes(const Medium& medium, double extinction, const RangeLimit& limit, double range_min,
                 double range_max);

  /// Adds a shot's echoes to its rays' reflections, of which the first `surfaces` are surfaces.
  void add(std::uint64_t key, std::size_t surfaces, std::vector<Reflection>& reflections) const;

 private:
  double perMetre(double range) const;
  double leastSize(double range) const;
  /// Relative to a surface of 100 %.
  double strengthOf(double range, double size) const;
  double rangeOf(double number) const;

  Medium medium_;
  double extinction_;
  RangeLimit limit_;
  std::vector<double> ranges_, numbers_;  ///< mean number of echoes up to each range
};

/// Weather's effect on the shots of a sensor. Every number is drawn from a hash of the seed and the
/// shot, see ShotNoise.
class ShotWeather {
 public:
  ShotWeather(const Weather& weather, const LidarConfig& sensor, std::uint64_t seed);

  std::uint64_t keyOf(const Firing& firing) const { return ShotNoise::keyOf(seed_, firing); }
  /// Weakens the light of surfaces and adds the echoes of particles.
  void act(std::uint64_t key, std::vector<Reflection>& reflections) const;
  /// The range [m] in clear air with the same light as from `range` in this air.
  float clearRange(float range) const { return range * std::exp(extinction_ * range); }
  /// Error [m] of the range of a shot's echo, numbered from the nearest.
  float rangeError(float range, std::uint64_t key, std::size_t echo) const;
  /// Reflectivity of a surface at an angle of incidence with that cosine; a surface facing the sky
  /// has a film of water.
  float reflectivity(const Hit& hit, float dry, float cosine) const;

 private:
  float extinction_;  ///< [1/m]
  std::uint64_t seed_;
  std::vector<ParticleEchoes> particles_;
  float noise_;  ///< [m/m] standard deviation of ranges
  bool wet_ground_;
  float kept_inside_;  ///< share of diffuse light that water reflects back inside
};

}  // namespace marsim::lidar
