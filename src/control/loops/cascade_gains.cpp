// SPDX-License-Identifier: BSD-3-Clause
#include "control/loops/cascade_gains.hpp"

namespace marsim::control {

// The wanted polynomial (s^2 + 2 z w s + w^2)(s^2 + 2 zi wi s + wi^2) against the inner loop
// a'' = wi^2 (a_cmd - a) - 2 zi wi a', coefficient by coefficient.
CascadeGains cascadeGains(const LoopSpec& outer, const LoopSpec& inner) {
  const double w = outer.natural_frequency, z = outer.damping;
  const double wi = inner.natural_frequency, zi = inner.damping;
  CascadeGains gains;
  gains.rate = 2.0 * z * w + 2.0 * zi * w * w / wi;
  gains.outer = w * w / gains.rate;
  gains.acceleration = (4.0 * z * w * zi * wi + w * w) / (wi * wi);
  gains.jerk = 2.0 * z * w / (wi * wi);
  return gains;
}

// The wanted polynomial (s^2 + 2 z w s + w^2)(s^2 + a s + b): its cubic and square coefficients are
// the inner loop's 2 zi wi and wi^2, which gives a and b.
CascadeGains plainCascadeGains(const LoopSpec& outer, const LoopSpec& inner) {
  const double w = outer.natural_frequency, z = outer.damping;
  const double wi = inner.natural_frequency, zi = inner.damping;
  const double a = 2.0 * zi * wi - 2.0 * z * w;
  const double b = wi * wi - w * w - 2.0 * z * w * a;
  CascadeGains gains;
  gains.rate = (2.0 * z * w * b + w * w * a) / (wi * wi);
  gains.outer = w * w * b / (wi * wi) / gains.rate;
  return gains;
}

}  // namespace marsim::control
