#pragma once

#include <string>
#include <utility>
#include <vector>

#include "marsim/common/settings.hpp"

namespace marsim::lidar {

/// The errors of a sensor: what stands between the first surface along a beam and what is reported.
/// Everything is off by default. Draws are decided by a seed and, for every shot, its simulated
/// time of firing, column, ring and line: they do not depend on threads, nor on where scans begin.
struct NoiseConfig {
  /// A function given at some points, straight between them and constant beyond the outer ones;
  /// first elements rise.
  using Table = std::vector<std::pair<double, double>>;

  // The range reported is range + bias + sigma n, with n a standard normal deviate, rounded to
  // range_resolution. Both bias and sigma are a constant plus a part proportional to the range;
  // sigma has a part with its square too, as stereo cameras have it.
  double range_bias = 0.0;                    ///< [m]
  double range_bias_per_metre = 0.0;          ///< [m/m]
  double range_sigma = 0.0;                   ///< [m]
  double range_sigma_per_metre = 0.0;         ///< [m/m]
  double range_sigma_per_square_metre = 0.0;  ///< [m/m^2]
  double range_resolution = 0.0;              ///< [m] 0: as computed
  /// Which length bias, sigma and resolution are of.
  enum class Along {
    kBeam,  ///< "beam": the range
    kAxis,  ///< "axis": the depth along the sensor's x, from which a depth camera has its ranges
  };
  Along along = Along::kBeam;
  /// [rad], at most 0.02, of either axis across the beam: the beam goes off by it, the direction
  /// reported is that of the pattern, as drivers compute it from encoders and tables.
  double angular_sigma = 0.0;
  // Returns lost, each by its own chance.
  double dropout = 0.0;        ///< share of all
  Table dropout_by_range;      ///< range [m], share
  Table dropout_by_incidence;  ///< angle between beam and normal [rad], share
  /// Reflectivity (1: 100 %) and the range [m] to which a surface of it is seen head-on, as
  /// datasheets say. A surface at range R is seen where R is at most the range of its reflectivity
  /// times Lambert's cosine: straight between the pairs in logarithms of both, and on along the
  /// first and the last stretch (of one pair alone: by the square root, as an extended target's
  /// echo falls with the square of the range). Empty: whatever lies within range.max.
  Table range_by_reflectivity;
  /// Share of the shots that report a range at which nothing is, uniform over the sensor's
  /// interval, in place of what they met.
  double false_returns = 0.0;

  /// Whether anything is on.
  bool any() const;
  void declare(Settings& settings);
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

}  // namespace marsim::lidar
