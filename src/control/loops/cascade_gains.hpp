// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/control/controller.hpp"

namespace marsim::control {

/// Gains of one cascade: outer loop to a rate, rate loop to an acceleration that a faster inner
/// loop (natural frequency wi, damping zi) makes real.
/// a_cmd = rate_gain (outer_gain e + e') + acceleration_gain (a_ref - a) + jerk_gain (j_ref - j).
struct CascadeGains {
  double outer = 0.0;         ///< [1/s]
  double rate = 0.0;          ///< [1/s]
  double acceleration = 0.0;  ///< [-]
  double jerk = 0.0;          ///< [s]
};

/// Gains with feedback of acceleration and jerk. They place all four poles exactly: at
/// the specification's and at the inner loop's own, so that the step response is the specified one
/// behind a delay of the inner loop's 2 zi/wi.
CascadeGains cascadeGains(const LoopSpec& outer, const LoopSpec& inner);

/// Gains without feedback of acceleration and jerk. They place two of the four poles at the
/// specification's; the rest of the inner loop's 2 zi wi decides the other two, which are well
/// damped and faster where wi is at least kPlainRatio times the specified frequency.
CascadeGains plainCascadeGains(const LoopSpec& outer, const LoopSpec& inner);

/// The least ratio of the frequencies of motors and attitude without feedback of acceleration.
constexpr double kPlainRatio = 4.5;

}  // namespace marsim::control
