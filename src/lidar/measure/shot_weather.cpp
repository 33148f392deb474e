// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/measure/shot_weather.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "lidar/measure/fresnel.hpp"
#include "lidar/measure/normal_deviate.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"

namespace marsim::lidar {
namespace {

// Receivers do not see nearer light of their transmitters (Hahner et al., ICCV 2021: it increases
// from 0.9 to 1.0 m).
constexpr double kOverlap = 1.0;             // [m]
constexpr double kUsualDivergence = 3e-3;    // [rad] LISA's, if the sensor's is unknown
constexpr double kUsualPulseLength = 5e-9;   // [s] if the sensor's is unknown
constexpr double kWater = 1.33;              // refractive index at 905 nm
constexpr int kMostEchoes = 64;              // most echoes drawn for a shot and a medium
constexpr std::size_t kSteps = 512;          // of the table over range
constexpr float kFacesTheSky = 0.70710678F;  // least upward component of a normal

/// Uniform in (0, 1).
double uniform(std::uint64_t key, std::uint64_t number) {
  return (static_cast<double>(mixBits(key + number * kGoldenGamma) >> 12) + 0.5) * 0x1.0p-52;
}

/// Share of diffuse light inside water that its surface reflects: 1 - (1 - r) / n^2, with r for
/// diffuse light from outside.
double keptInside() {
  constexpr int kParts = 2000;
  double outside = 0.0;
  for (int i = 0; i < kParts; ++i) {
    const double squared = (i + 0.5) / kParts;  // d(cos^2) = sin(2 angle) d(angle)
    outside += fresnelReflectance(kWater, std::sqrt(squared)) / kParts;
  }
  return 1.0 - (1.0 - outside) / (kWater * kWater);
}

double solidAngleOf(const BeamConfig& beam) {
  const double product = beam.divergence_horizontal * beam.divergence_vertical;
  if (!(product > 0.0)) return kPi / 4.0 * kUsualDivergence * kUsualDivergence;
  return beam.shape == BeamConfig::Shape::kRectangle ? product : kPi / 4.0 * product;
}

ParticleEchoes::Medium dropsOf(double rate) {
  ParticleEchoes::Medium medium;
  const double slope = 4.1 * std::pow(rate, -0.21);  // [1/mm]
  const double n = 1.328;                            // LISA's value
  medium.density = 8000.0 / slope;
  medium.scale = 1e-3 / slope;
  medium.strength = std::pow((n - 1.0) / (n + 1.0), 2);
  return medium;
}

ParticleEchoes::Medium flakesOf(const Snow& snow) {
  ParticleEchoes::Medium medium;
  const double slope = 2.55 * std::pow(snow.rate, -0.48);  // [1/mm]
  medium.density = 7600.0 * std::pow(snow.rate, -0.87) / slope;
  medium.scale = 1e-3 / slope;
  medium.strength = snow.reflectivity;
  return medium;
}

/// Hahner et al., ICCV 2021: a pulse's light returns with the backscatter coefficient, times the
/// pulse length, where a surface of 100 % returns `kDifferential`.
ParticleEchoes::Medium cloudOf(double extinction, double backscatter, double pulse_length) {
  constexpr double kDifferential = 1e-6 / kPi, kPulse = 20e-9;  // [1/sr], [s]
  ParticleEchoes::Medium medium;
  const double depth =
      0.5 * kSpeedOfLight * (pulse_length > 0.0 ? pulse_length : kUsualPulseLength);
  medium.is_soft = true;
  medium.density = 1.0 / depth;
  medium.strength = backscatter * extinction / std::log(20.0) / kDifferential * kPulse;
  return medium;
}

}  // namespace

ParticleEchoes::ParticleEchoes(const Medium& medium, double extinction, const RangeLimit& limit,
                               double range_min, double range_max)
    : medium_(medium), extinction_(extinction), limit_(limit) {
  if (!(range_max > range_min)) range_max = range_min;
  const double factor = std::pow(range_max / range_min, 1.0 / kSteps);
  ranges_.push_back(range_min);
  numbers_.push_back(0.0);
  for (std::size_t i = 0; i < kSteps; ++i) {  // Simpson's rule
    const double from = ranges_.back(), to = from * factor;
    numbers_.push_back(numbers_.back() +
                       (perMetre(from) + 4.0 * perMetre(0.5 * (from + to)) + perMetre(to)) *
                           (to - from) / 6.0);
    ranges_.push_back(to);
  }
}

double ParticleEchoes::perMetre(double range) const {
  const double cut = medium_.is_soft ? 1.0 : medium_.solid_angle * range * range;  // [m^2]
  return medium_.density * cut * std::exp(-leastSize(range));
}

/// Smallest size that is seen at a range; infinite if none is.
double ParticleEchoes::leastSize(double range) const {
  const double clear = range * std::exp(extinction_ * range);
  const double share = limit_.leastReflectivity(clear) / medium_.strength;
  if (medium_.is_soft) return share;
  if (!(share < 1.0)) return std::numeric_limits<double>::infinity();
  return std::sqrt(4.0 / kPi * share * medium_.solid_angle) * range / medium_.scale;
}

double ParticleEchoes::strengthOf(double range, double size) const {
  if (medium_.is_soft) return medium_.strength * size;
  const double diameter = size * medium_.scale;
  return medium_.strength *
         std::min(1.0, kPi / 4.0 * diameter * diameter / (medium_.solid_angle * range * range));
}

double ParticleEchoes::rangeOf(double number) const {
  const auto next = std::upper_bound(numbers_.begin(), numbers_.end(), number);
  const auto i = static_cast<std::size_t>(next - numbers_.begin());
  const double share = (number - numbers_[i - 1]) / (numbers_[i] - numbers_[i - 1]);
  return ranges_[i - 1] + share * (ranges_[i] - ranges_[i - 1]);
}

void ParticleEchoes::add(std::uint64_t key, std::size_t surfaces,
                         std::vector<Reflection>& reflections) const {
  const auto lightAt = [&](double range) {  // share of the pulse that has met nothing nearer
    double left = 1.0;
    for (std::size_t i = 0; i < surfaces; ++i) {
      if (static_cast<double>(reflections[i].range) <= range) {
        left -= static_cast<double>(reflections[i].weight);
      }
    }
    return left;
  };
  Reflection strongest{};
  double number = 0.0;
  for (std::uint64_t i = 0; i < 3 * kMostEchoes; i += 3) {
    number -= std::log(uniform(key, i));
    if (number >= numbers_.back()) break;
    const double range = rangeOf(number), light = lightAt(range);
    if (light < 1e-3) break;
    const double size = leastSize(range) - std::log(uniform(key, i + 1));
    double strength = strengthOf(range, size);
    if (medium_.is_soft) {
      strength *= light;
    } else if (uniform(key, i + 2) > light) {
      continue;  // beyond the reach of the pulse's light
    }
    const double energy = strength * std::exp(-2.0 * extinction_ * range) / (range * range);
    const Reflection one{static_cast<float>(range), static_cast<float>(energy),
                         static_cast<float>(std::min(1.0, strength)), 1.0F, Reflection::kNoRay};
    if (!medium_.is_soft) {
      reflections.push_back(one);
    } else if (one.energy > strongest.energy) {
      strongest = one;
    }
  }
  if (strongest.energy > 0.0F) reflections.push_back(strongest);
}

ShotWeather::ShotWeather(const Weather& weather, const LidarConfig& sensor, std::uint64_t seed)
    : extinction_(static_cast<float>(weather.extinction())),
      seed_(RandomStream(seed, "weather").next()),
      noise_(0.0F),
      wet_ground_(weather.wet_ground),
      kept_inside_(static_cast<float>(keptInside())) {
  std::vector<ParticleEchoes::Medium> media;
  if (weather.rain) {
    if (weather.rain->model == Rain::Model::kGoodin) {
      const double share = 1.0 - std::exp(-weather.rain->rate);
      noise_ = static_cast<float>(0.02 * share * share);
    } else {
      media.push_back(dropsOf(weather.rain->rate));
    }
  }
  if (weather.snow) media.push_back(flakesOf(*weather.snow));
  const double pulse = sensor.beam.pulse_length;
  if (weather.fog) {
    media.push_back(cloudOf(extinctionOf(*weather.fog), weather.fog->backscatter, pulse));
  }
  if (weather.dust) {
    media.push_back(cloudOf(extinctionOf(*weather.dust), weather.dust->backscatter, pulse));
  }
  for (ParticleEchoes::Medium& medium : media) {
    if (!(medium.strength > 0.0)) continue;
    medium.solid_angle = solidAngleOf(sensor.beam);
    particles_.emplace_back(medium, weather.extinction(), RangeLimit(sensor),
                            std::max(kOverlap, sensor.range_min), sensor.range_max);
  }
}

void ShotWeather::act(std::uint64_t key, std::vector<Reflection>& reflections) const {
  const std::size_t surfaces = reflections.size();
  for (Reflection& one : reflections) one.energy *= std::exp(-2.0F * extinction_ * one.range);
  std::uint64_t medium = 0;
  for (const ParticleEchoes& particles : particles_) {
    particles.add(mixBits(key + ++medium * kGoldenGamma), surfaces, reflections);
  }
}

float ShotWeather::rangeError(float range, std::uint64_t key, std::size_t echo) const {
  if (noise_ == 0.0F) return 0.0F;
  const auto bits = static_cast<std::uint32_t>(mixBits(key - (1 + echo) * kGoldenGamma));
  return noise_ * range * NormalDeviate::table().of(bits);
}

/// Light enters and leaves the film at the same angle, spread over n^2 of the solid angle inside,
/// after any number of reflections between surface and film (Lekner and Dorf, Applied Optics 27(7),
/// 1988, for light that returns the way it came).
float ShotWeather::reflectivity(const Hit& hit, float dry, float cosine) const {
  if (!wet_ground_ || hit.identity != kMapIdentity || hit.normal.z() < kFacesTheSky) return dry;
  const float through =
      1.0F - static_cast<float>(fresnelReflectance(kWater, static_cast<double>(cosine)));
  constexpr auto kIndex = static_cast<float>(kWater);
  return through * through * dry / (kIndex * kIndex * (1.0F - kept_inside_ * std::min(dry, 1.0F)));
}

}  // namespace marsim::lidar
