// SPDX-License-Identifier: BSD-3-Clause
#include "control/paths/excitation.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/units.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::control {
namespace {

/// A windowed sine and its derivatives by time.
struct Swing {
  double value = 0.0, rate = 0.0, acceleration = 0.0, jerk = 0.0;

  void add(double amplitude, double w, double t) {
    value += amplitude * std::sin(w * t);
    rate += amplitude * w * std::cos(w * t);
    acceleration -= amplitude * w * w * std::sin(w * t);
    jerk -= amplitude * w * w * w * std::cos(w * t);
  }
};

// amplitude sin^2(pi t / T) sin(2 pi cycles t / T), written as a sum of three sines.
Swing swing(double amplitude, double cycles, double t) {
  const double window = 2.0 * kPi / Excitation::kDuration;
  const double w = cycles * window;
  Swing sum;
  sum.add(0.5 * amplitude, w, t);
  sum.add(-0.25 * amplitude, w + window, t);
  sum.add(-0.25 * amplitude, w - window, t);
  return sum;
}

}  // namespace

Excitation::Excitation(const Eigen::Vector3d& p_WB, double yaw, double room)
    : p_WB_(p_WB), yaw_(yaw), scale_(std::clamp(room / kReach, 0.0, 1.0)) {}

Reference Excitation::at(double t) const {
  Reference reference;
  reference.p_WB = p_WB_;
  reference.yaw = yaw_;
  if (t <= 0.0 || t >= kDuration) return reference;
  // [m], cycles: up to 3.4, 3.3 and 2.1 m/s^2 along x, y and z; 0.6 rad in yaw.
  const Swing x = swing(0.35 * scale_, 3.0, t), y = swing(0.12 * scale_, 5.0, t),
              z = swing(0.04 * scale_, 7.0, t), yaw = swing(0.6, 2.0, t);
  reference.p_WB += Eigen::Vector3d(x.value, y.value, z.value);
  reference.v_WB = {x.rate, y.rate, z.rate};
  reference.a_WB = {x.acceleration, y.acceleration, z.acceleration};
  reference.j_WB = {x.jerk, y.jerk, z.jerk};
  reference.yaw = wrapAngle(yaw_ + yaw.value);
  reference.yaw_rate = yaw.rate;
  return reference;
}

}  // namespace marsim::control
