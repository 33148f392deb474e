#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "marsim/lidar/noise.hpp"
#include "marsim/lidar/scan_pattern.hpp"
#include "normal_deviate.hpp"

namespace marsim::lidar {

/// The range of a shot that reports none.
constexpr float kNoReturn = std::numeric_limits<float>::infinity();

/// NoiseConfig at work. Every number is drawn from a hash of the seed, the shot and what it is for,
/// never from a sequence: a shot's noise is its own wherever and in whatever order it is asked for.
class ShotNoise {
 public:
  /// `range_min`, `range_max` [m]: where false returns are.
  ShotNoise(const NoiseConfig& config, double range_min, double range_max, std::uint64_t seed);

  /// What the draws of a shot are made of.
  std::uint64_t keyOf(const Firing& firing) const;

  bool turnsBeams() const { return angular_sigma_ > 0.0F; }
  /// Where the beam really goes, about unit length; in the frame of `direction` (unit).
  Eigen::Vector3f turned(const Eigen::Vector3f& direction, std::uint64_t key) const;

  /// The range [m] reported of a surface at `range` [m], or kNoReturn. `reflectivity` is that along
  /// the beam, `cosine` that of the angle of incidence.
  float measured(float range, float reflectivity, float cosine, std::uint64_t key) const;
  /// The range [m] of a shot that reports what is not there; kNoReturn for most.
  float falseRange(std::uint64_t key) const;

  /// How far [m] a reflectivity along the beam is seen.
  double reach(double reflectivity) const;

 private:
  bool seen(float range, float reflectivity) const;
  bool lost(float range, float cosine, std::uint64_t key) const;
  float rounded(float range) const;

  NoiseConfig config_;
  std::uint64_t seed_;
  const NormalDeviate& normal_;
  bool loses_, lies_;
  float angular_sigma_, sigma_, sigma_per_metre_, bias_, bias_per_metre_, resolution_;
  float range_min_, range_span_;
  // Whatever is nearer and brighter is seen: spares the logarithms.
  float sure_range_ = kNoReturn, sure_reflectivity_ = 0.0F;
  std::vector<std::pair<double, double>> log_reach_;  // logarithms of range_by_reflectivity
};

}  // namespace marsim::lidar
