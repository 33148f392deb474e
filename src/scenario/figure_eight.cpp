// SPDX-License-Identifier: BSD-3-Clause
#include "scenario/figure_eight.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/units.hpp"

namespace marsim::scenario {
namespace {

constexpr double kRampAcceleration = 2.0;  // [m/s^2] along the curve
constexpr double kSteepestStep = 1.5;      // of smoothstep, in its middle

}  // namespace

FigureEightPath::FigureEightPath(const FigureEight& eight, double body_yaw)
    : eight_(eight),
      q_WB_(fromRollPitchYaw(0.0, 0.0, body_yaw)),
      R_WE_(fromRollPitchYaw(0.0, 0.0, eight.yaw).toRotationMatrix()),
      // |dp/ds| = hypot(width/2 cos s, height cos 2s), both largest in the middle.
      fastest_(std::hypot(0.5 * eight.width, eight.height)),
      rate_(eight.speed / fastest_),
      // A ramp covers rate * ramp / 2 of s, which must not exceed half a lap, pi.
      ramp_(std::min(kSteepestStep * eight.speed / kRampAcceleration, 2.0 * kPi / rate_)),
      cruise_(2.0 * kPi * eight.laps / rate_ - ramp_),
      duration_(toNs(2.0 * ramp_ + cruise_)) {}

FigureEightPath::Phase FigureEightPath::phaseAt(double t) const {
  // s-dot is rate * (3 u^2 - 2 u^3), whose integral is rate * ramp * (u^3 - u^4 / 2).
  const auto ramp = [&](double u) {
    return Phase{rate_ * ramp_ * u * u * u * (1.0 - 0.5 * u), rate_ * u * u * (3.0 - 2.0 * u),
                 rate_ / ramp_ * 6.0 * u * (1.0 - u)};
  };
  const double end = 2.0 * ramp_ + cruise_;
  if (t < ramp_) return ramp(std::max(0.0, t / ramp_));
  if (t < ramp_ + cruise_) return {rate_ * (t - 0.5 * ramp_), rate_, 0.0};
  const Phase left = ramp(std::max(0.0, (end - t) / ramp_));
  return {2.0 * kPi * eight_.laps - left.s, left.rate, -left.change};
}

KinematicState FigureEightPath::at(TimeNs t) const {
  const Phase phase = phaseAt(toSeconds(t));
  const double a = 0.5 * eight_.width, b = 0.5 * eight_.height;
  const double s = phase.s;
  const Eigen::Vector3d p(a * std::sin(s), b * std::sin(2.0 * s), 0.0);
  const Eigen::Vector3d dp(a * std::cos(s), 2.0 * b * std::cos(2.0 * s), 0.0);
  const Eigen::Vector3d ddp(-a * std::sin(s), -4.0 * b * std::sin(2.0 * s), 0.0);
  KinematicState state;
  state.stamp = t;
  state.X_WB = {q_WB_, eight_.middle + R_WE_ * p};
  state.v_WB = phase.rate * (R_WE_ * dp);
  state.a_WB = R_WE_ * (phase.rate * phase.rate * ddp + phase.change * dp);
  return state;
}

double FigureEightPath::largestAcceleration() const {
  // |d2p/ds2| = hypot(a sin s, 4 b sin 2s) is no more than hypot(a, 4 b).
  const double bend = std::hypot(0.5 * eight_.width, 2.0 * eight_.height) * rate_ * rate_;
  return bend + kSteepestStep * rate_ / ramp_ * fastest_;
}

}  // namespace marsim::scenario
