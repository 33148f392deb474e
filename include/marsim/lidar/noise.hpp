// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "marsim/common/settings.hpp"

namespace marsim::lidar {

/// The errors of a sensor, from the first surface along a beam to the reported return, and the
/// range to which it sees. All errors are off by default. Draws are decided by a seed and, for
/// every shot, its simulated time of firing, column, ring and line: they do not depend on threads,
/// nor on where scans begin.
struct NoiseConfig {
  /// A function given at some points, straight between them and constant beyond the outer ones;
  /// first elements rise.
  using Table = std::vector<std::pair<double, double>>;

  // The range reported is range + bias + sigma n, with n a standard normal deviate, rounded to
  // range_resolution. Both bias and sigma are a constant plus a part proportional to the range;
  // sigma has a part with its square too, as stereo cameras have it.
  double range_bias = 0.0;                    ///< [m]
  double range_bias_per_metre = 0.0;          ///< [m/m]
  double unit_bias_sigma = 0.0;               ///< [m] of a bias of all channels; a seed is a unit
  double channel_bias_sigma = 0.0;            ///< [m] of another bias of each ring of a unit
  double range_sigma = 0.0;                   ///< [m]
  double range_sigma_per_metre = 0.0;         ///< [m/m]
  double range_sigma_per_square_metre = 0.0;  ///< [m/m^2]
  double range_resolution = 0.0;              ///< [m] 0: as computed
  /// Another error of slanted surfaces, as a multiple of the standard deviation of the range within
  /// a Gaussian spot, D/4 tan(angle of incidence). D is the spot's 1/e^2 diameter, the root mean
  /// square of both divergences times the range.
  double slant_sigma = 0.0;
  /// The length that bias, sigma and resolution apply to.
  enum class Along {
    kBeam,  ///< "beam": the range
    kAxis,  ///< "axis": the depth along the sensor's x, from which a depth camera has its ranges
  };
  Along along = Along::kBeam;
  /// [rad] at most 0.02; standard deviation of the beam about either axis across it. The reported
  /// direction is the pattern's, as drivers compute it from encoders and tables.
  double angular_sigma = 0.0;
  // Lost returns, each with its own probability.
  double dropout = 0.0;        ///< share of all
  Table dropout_by_range;      ///< range [m], share
  Table dropout_by_incidence;  ///< angle between beam and normal [rad], share
  /// Pairs of reflectivity (1: 100 %) and the range [m] to which such a surface is seen head-on, as
  /// in datasheets: see RangeLimit. Surfaces, particles and weather obey it, with noise or without.
  /// Empty: 90 % to range.max, unless returns.threshold says otherwise.
  Table range_by_reflectivity;
  /// Share of the shots that report a false range, uniform over the sensor's interval, in place of
  /// their hit.
  double false_returns = 0.0;

  /// Whether there are errors.
  bool any() const;
  /// The settings without errors: range_by_reflectivity only.
  NoiseConfig ideal() const;
  void declare(Settings& settings);
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

}  // namespace marsim::lidar
