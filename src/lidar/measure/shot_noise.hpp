// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "lidar/measure/normal_deviate.hpp"
#include "marsim/common/random.hpp"
#include "marsim/lidar/lidar.hpp"

namespace marsim::lidar {

/// The range of a shot without a return.
constexpr float kNoReturn = std::numeric_limits<float>::infinity();

/// Draws a sensor's noise (NoiseConfig). Every number is drawn from a hash of the seed, the shot
/// and its purpose, never from a sequence: a shot's noise does not depend on where and in which
/// order it is drawn. Functions for every shot are inline: a scan has up to a hundred thousand.
class ShotNoise {
 public:
  /// `rings`: of the pattern. The seed draws the biases of unit and channels, too.
  ShotNoise(const LidarConfig& sensor, std::uint16_t rings, std::uint64_t seed);

  /// The key for all draws of a shot. Shots of one instant differ in column, line or ring: the
  /// cells of a grid's row share stamp, line and ring.
  static std::uint64_t keyOf(std::uint64_t seed, const Firing& firing) {
    const std::uint64_t channel =
        std::uint64_t{firing.column} << 24 | std::uint64_t{firing.line} << 16 | firing.ring;
    const auto stamp = static_cast<std::uint64_t>(firing.stamp);
    return mixBits(mixBits(seed + stamp * kGoldenGamma) + channel * kGoldenGamma);
  }
  std::uint64_t keyOf(const Firing& firing) const { return keyOf(seed_, firing); }

  /// The key of a shot's echo, numbered from the nearest reported one.
  static std::uint64_t keyOfEcho(std::uint64_t key, std::size_t echo) {
    return echo == 0 ? key : mixBits(key + (kEchoes + echo) * kGoldenGamma);
  }

  bool turnsBeams() const { return angular_sigma_ > 0.0F; }
  /// The true direction of a beam, unit; `direction` is unit, in the same frame.
  Eigen::Vector3f turned(const Eigen::Vector3f& direction, std::uint64_t key) const;

  /// The reported range [m] of a surface at `range` [m] that is seen, or kNoReturn. `cosine` is
  /// that of the angle of incidence.
  float measured(float range, float cosine, const Firing& firing, std::uint64_t key) const {
    const std::uint64_t bits = draw(key, kEcho);
    if (loses_ && uniform(bits) >= kept(range, cosine)) return kNoReturn;
    const float share = along_axis_ ? firing.direction.x() : 1.0F;  // measured share of the range
    const float length = range * share;
    float sigma = sigma_ + length * (sigma_per_metre_ + length * sigma_per_square_metre_);
    if (sigma_per_slant_ > 0.0F) sigma = std::hypot(sigma, slanted(length, cosine));
    return rounded(length + biases_[firing.ring] + bias_per_metre_ * length +
                   sigma * normal_.of(static_cast<std::uint32_t>(bits))) /
           share;
  }
  /// The range [m] of a false return; kNoReturn for most shots.
  float falseRange(std::uint64_t key) const {
    if (key >= lie_threshold_) return kNoReturn;
    return rounded(range_min_ + range_span_ * uniform(draw(key, kLie)));
  }

 private:
  /// The purpose of a draw.
  enum Term : std::uint64_t { kBeam = 1, kEcho, kLie, kEchoes, kBias = 1000 };

  static std::uint64_t draw(std::uint64_t key, Term term) {
    return mixBits(key + term * kGoldenGamma);
  }
  /// Uniform in [0, 1), from the highest bits.
  static float uniform(std::uint64_t bits) { return static_cast<float>(bits >> 40) * 0x1.0p-24F; }

  /// Share of the returns that are not lost.
  float kept(float range, float cosine) const;
  /// Standard deviation [m] on a slanted surface.
  float slanted(float length, float cosine) const {
    constexpr float kLeastCosine = 0.01F;
    const float c = std::clamp(cosine, kLeastCosine, 1.0F);
    return sigma_per_slant_ * length * std::sqrt(1.0F - c * c) / c;
  }
  float rounded(float range) const {
    return resolution_ > 0.0F ? std::rint(range * per_resolution_) * resolution_ : range;
  }

  NoiseConfig config_;
  std::uint64_t seed_;
  const NormalDeviate& normal_;
  bool loses_, along_axis_;
  std::uint64_t lie_threshold_;  // shots with keys below it are false returns
  float angular_sigma_, sigma_, sigma_per_metre_, sigma_per_square_metre_, sigma_per_slant_;
  float bias_per_metre_;
  float resolution_, per_resolution_;
  float range_min_, range_span_;
  std::vector<float> biases_;  // [m] by rings
};

// Axes across the beam: Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017.
inline Eigen::Vector3f ShotNoise::turned(const Eigen::Vector3f& d, std::uint64_t key) const {
  const std::uint64_t bits = draw(key, kBeam);
  const float a = angular_sigma_ * normal_.of(static_cast<std::uint32_t>(bits));
  const float b = angular_sigma_ * normal_.of(static_cast<std::uint32_t>(bits >> 32));
  const float sign = std::copysign(1.0F, d.z());
  const float p = -1.0F / (sign + d.z());
  const float q = d.x() * d.y() * p;
  const Eigen::Vector3f u(1.0F + sign * d.x() * d.x() * p, sign * q, -sign * d.x());
  const Eigen::Vector3f v(q, sign + d.y() * d.y() * p, -d.y());
  // 1 / sqrt(1 + s) by its series: within 2e-6 at six sigmas of the largest allowed sigma.
  const float s = a * a + b * b;
  return (1.0F - s * (0.5F - 0.375F * s)) * (d + a * u + b * v);
}

}  // namespace marsim::lidar
