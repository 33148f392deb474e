#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "lidar/measure/echo_receiver.hpp"
#include "lidar/measure/shot_noise.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/lidar/weather.hpp"

namespace marsim::lidar {

/// Echoes of what floats in the air along a beam, a Poisson process: one of `strength` x q comes
/// from where it is seen at all, `density` a metre times exp(-x), x being the least that is seen.
/// Drops and flakes: x is the diameter by its scale, and the light goes with x squared. Fog and
/// dust: what a pulse lights up at a time fluctuates as speckle does.
class ParticleEchoes {
 public:
  /// Energy of an echo of size x at range r: strength(r, x) exp(-2 a r) / r^2.
  struct Medium {
    bool is_soft = false;      ///< countless particles: of a pulse's echoes the strongest is there
    double density = 0.0;      ///< [1/m] or, of drops, [1/m^3], of all sizes
    double solid_angle = 0.0;  ///< [sr] of the beam
    double strength = 0.0;     ///< soft: that of x = 1; else of a particle as wide as the beam
    double scale = 0.0;        ///< [m] e-folding diameter of drops
  };
  /// Those from `least_energy` on, between two ranges. `extinction` [1/m].
  ParticleEchoes(const Medium& medium, double extinction, double least_energy, double range_min,
                 double range_max);

  /// Adds those of a shot to what its rays have met, the first `surfaces` of the reflections.
  void add(std::uint64_t key, std::size_t surfaces, std::vector<Reflection>& reflections) const;

 private:
  double perMetre(double range) const;
  double leastSize(double range) const;
  /// [1] relative to a surface of 100 %.
  double strengthOf(double range, double size) const;
  double rangeOf(double number) const;

  Medium medium_;
  double extinction_, least_energy_;
  std::vector<double> ranges_, numbers_;  ///< of echoes up to each range, on the average
};

/// Weather at work on the shots of a sensor. Every number is drawn from a hash of the seed and the
/// shot, see ShotNoise.
class ShotWeather {
 public:
  ShotWeather(const Weather& weather, const LidarConfig& sensor, std::uint64_t seed);

  std::uint64_t keyOf(const Firing& firing) const { return ShotNoise::keyOf(seed_, firing); }
  /// Weakens the light of surfaces and adds that of particles.
  void act(std::uint64_t key, std::vector<Reflection>& reflections) const;
  /// The range [m] in clear air from which no more of the same light would come back.
  float clearRange(float range) const { return range * std::exp(extinction_ * range); }
  /// Error [m] of the range of a shot's echo, counted from the nearest.
  float rangeError(float range, std::uint64_t key, std::size_t echo) const;
  /// Reflectivity of a surface met at an angle of that cosine, which has a film of water on it
  /// where it faces the sky.
  float reflectivity(const Hit& hit, float dry, float cosine) const;

 private:
  float extinction_;  ///< [1/m]
  std::uint64_t seed_;
  std::vector<ParticleEchoes> particles_;
  float noise_;  ///< [m/m] sigma of ranges
  bool wet_ground_;
  float kept_inside_;  ///< share of diffuse light that water keeps from leaving it
};

/// Least energy [1/m^2] of a particle's echo that a sensor sees: its returns.threshold; without one
/// that of the darkest surface of noise.range_by_reflectivity at its range; without that of 90 % at
/// range.max, as LISA has it.
double leastEnergy(const LidarConfig& sensor);

}  // namespace marsim::lidar
