// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/wind.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::vehicle {
namespace {

using Eigen::Vector3d;

const double kRoot3 = std::sqrt(3.0);
// Stationary covariance of the states of 1 / (1 + s) and 1 / (1 + s)^2 driven by unit white noise.
constexpr double kLagVariance = 0.5, kCovariance = 0.25, kTwiceVariance = 0.25;

// x along the horizontal part of the wind, z up.
Eigen::Matrix3d axesOf(const Vector3d& mean_W) {
  Vector3d x(mean_W.x(), mean_W.y(), 0.0);
  if (x.norm() == 0.0) x = Vector3d::UnitX();
  x.normalize();
  Eigen::Matrix3d R_WA;
  R_WA << x, Vector3d::UnitZ().cross(x), Vector3d::UnitZ();
  return R_WA;
}

// Root of a number that rounding may have left below zero.
double safeRoot(double square) { return std::sqrt(std::max(square, 0.0)); }

}  // namespace

void WindConfig::validate(const std::string& where) const {
  const Validator check(where);
  for (int axis = 0; axis < 3; ++axis) {
    check.finite(fmt::format("wind[{}]", axis), mean_W[axis], "m/s");
  }
  check.require(mean_W.norm() <= kFastest, "wind", fmt::format("of {:.6g} m/s", mean_W.norm()),
                fmt::format("up to {} m/s", kFastest));
  check.within("gusts", gusts, 0.0, kFastest, "m/s");
}

GustScales gustScales(double height, double w20) {
  const double h = std::clamp(height / kFoot, 10.0, 1000.0);
  const double base = 0.177 + 0.000823 * h;
  const double across = h / std::pow(base, 1.2);
  const double sigma_w = 0.1 * w20, sigma_u = sigma_w / std::pow(base, 0.4);
  return {kFoot * Vector3d(across, across, h), {sigma_u, sigma_u, sigma_w}};
}

Wind::Wind(const WindConfig& config, std::uint64_t seed, double ground_z)
    : config_(config),
      ground_z_(ground_z),
      R_WA_(axesOf(config.mean_W)),
      filters_{Filter{RandomStream(seed, "gusts along the wind")},
               Filter{RandomStream(seed, "gusts across the wind")},
               Filter{RandomStream(seed, "vertical gusts")}} {
  config_.validate("wind");
  for (Filter& filter : filters_) {
    filter.lag = std::sqrt(kLagVariance) * filter.stream.normal();
    filter.twice = kCovariance / kLagVariance * filter.lag +
                   std::sqrt(kTwiceVariance - kCovariance * kCovariance / kLagVariance) *
                       filter.stream.normal();
  }
}

Vector3d Wind::advance(TimeNs dt, const KinematicState& state) {
  if (!(config_.gusts > 0.0)) return config_.mean_W;
  const GustScales scales = gustScales(state.X_WB.p.z() - ground_z_, config_.gusts);
  const double airspeed = std::max((state.v_WB - config_.mean_W).norm(), kLeastAirspeed);
  Vector3d gust;
  for (int axis = 0; axis < 3; ++axis) {
    Filter& filter = filters_[static_cast<std::size_t>(axis)];
    // In units of T: (lag, twice) become decay * (lag, twice + step * lag) and noise of the
    // covariance that keeps the stationary one.
    const double step = toSeconds(dt) * airspeed / scales.length[axis];
    const double decay = std::exp(-step), square = decay * decay;
    const double q_lag = kLagVariance * (1.0 - square);
    const double q_both = kCovariance - square * (kCovariance + step * kLagVariance);
    const double q_twice =
        kTwiceVariance -
        square * (kTwiceVariance + step * (2.0 * kCovariance + step * kLagVariance));
    const double root = safeRoot(q_lag), share = root > 0.0 ? q_both / root : 0.0;
    const double first = filter.stream.normal(), second = filter.stream.normal();
    filter.twice = decay * (filter.twice + step * filter.lag) + share * first +
                   safeRoot(q_twice - share * share) * second;
    filter.lag = decay * filter.lag + root * first;
    const double unit = axis == 0 ? std::sqrt(2.0) * filter.lag
                                  : kRoot3 * filter.lag + (1.0 - kRoot3) * filter.twice;
    gust[axis] = scales.sigma[axis] * unit;
  }
  return config_.mean_W + R_WA_ * gust;
}

}  // namespace marsim::vehicle
