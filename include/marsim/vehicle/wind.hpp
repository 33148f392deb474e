// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <Eigen/Core>

#include "marsim/common/random.hpp"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::vehicle {

/// A wind, the same everywhere, and gusts.
struct WindConfig {
  static constexpr double kFastest = 100.0;  // [m/s]

  Eigen::Vector3d mean_W = Eigen::Vector3d::Zero();  ///< [m/s] of the air, in W
  /// [m/s] W20, the wind 6.1 m (20 ft) above the ground by which turbulence is graded: 15, 30 and
  /// 45 kt are light, moderate and severe; 0: no gusts.
  double gusts = 0.0;

  bool isOn() const { return gusts > 0.0 || !mean_W.isZero(0.0); }
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// Scale lengths [m] and standard deviations [m/s] of gusts along the wind, across it and
/// vertical.
struct GustScales {
  Eigen::Vector3d length, sigma;
};

/// Scales of MIL-F-8785C for low altitudes: h [ft] above the ground, clamped to 10 .. 1000 ft,
/// L_w = h, L_u = L_v = h / (0.177 + 0.000823 h)^1.2, sigma_w = 0.1 W20,
/// sigma_u = sigma_v = sigma_w / (0.177 + 0.000823 h)^0.4.
GustScales gustScales(double height, double w20);  ///< [m], [m/s]

/// The air that a vehicle meets: the mean wind and Dryden turbulence (MIL-F-8785C), which is frozen
/// in the mean wind and flown through at the speed V through it, at least kLeastAirspeed. Gusts
/// are along the mean wind's horizontal direction (W's x without one), across it and vertical; each
/// has its own stream of random numbers and unit variance before its sigma:
///
///   along: 1 / (1 + T s), across and vertical: (1 + sqrt(3) T s) / (1 + T s)^2, T = L / V.
///
/// Discretised exactly for a V and height that hold for a step: the states' transition and
/// covariance in closed form. Stationary from the first sample on.
class Wind {
 public:
  static constexpr double kLeastAirspeed = 1.0;  // [m/s]

  /// Heights count from the plane at ground_z [m]; without one (-inf) from far below. Throws
  /// ConfigError.
  Wind(const WindConfig& config, std::uint64_t seed, double ground_z);

  /// Velocity of the air [m/s] in W about a vehicle in a state, dt [ns] after the last call.
  Eigen::Vector3d advance(TimeNs dt, const KinematicState& state);

 private:
  // One of the filters above: its states and the stream that drives it.
  struct Filter {
    RandomStream stream;
    double lag = 0.0, twice = 0.0;  // after one and two lags of white noise
  };

  WindConfig config_;
  double ground_z_;
  Eigen::Matrix3d R_WA_;  // axes of the gusts in W
  std::array<Filter, 3> filters_;
};

}  // namespace marsim::vehicle
