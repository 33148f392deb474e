// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/rates.hpp"

#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim::sim {
namespace {

// Runge-Kutta of fourth order is stable up to 2.78 for a real pole.
constexpr double kStablePoleTimesStep = 2.5;

bool divides(double rate, double dynamics) {
  const double ratio = dynamics / rate;
  return ratio > 0.5 && std::abs(ratio - std::round(ratio)) < 1e-9 * ratio;
}

void requireDivides(const Validator& check, const std::string& field, double rate,
                    double dynamics) {
  check.positive(field, rate, "Hz");
  check.require(divides(rate, dynamics), field, fmt::format("{}", rate),
                fmt::format("the dynamics rate ({} Hz) divided by a whole number", dynamics));
}

}  // namespace

void RateConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.within("dynamics", dynamics, 10.0, 1e6, "Hz");
  const double microseconds = 1e6 / dynamics;
  check.require(std::abs(microseconds - std::round(microseconds)) < 1e-6, "dynamics",
                fmt::format("{}", dynamics), "1,000,000 Hz divided by a whole number");
  requireDivides(check, "state", state, dynamics);
  requireDivides(check, "odometry", odometry, dynamics);
}

void validateRates(const RateConfig& rates, const vehicle::VehicleConfig& vehicle,
                   const std::string& where) {
  rates.validate(where);
  const Validator check(where);
  requireDivides(Validator("imu"), "rate", vehicle.imu.rate, rates.dynamics);
  const double pole = vehicle.motor.fastestPole();
  check.require(pole <= kStablePoleTimesStep * rates.dynamics, "dynamics",
                fmt::format("{}", rates.dynamics),
                fmt::format("{:.0f} Hz or more for motors as fast as {:.0f} rad/s",
                            pole / kStablePoleTimesStep, pole));
}

}  // namespace marsim::sim
