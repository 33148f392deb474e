// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/control/velocity_follower.hpp"

#include <algorithm>
#include <cmath>

#include "control/loops/clamped_norm.hpp"
#include "control/loops/substeps.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

constexpr double kAtRest = 1e-6;  // [m/s], [m/s^2], [rad/s]

// Double pole at -w: s^2 + 2 w s + w^2, as a cascade of velocity and acceleration.
constexpr double kSpeedGain = VelocityFollower::kFrequency / 2.0;
constexpr double kJerkGain = 2.0 * VelocityFollower::kFrequency;

}  // namespace

const Reference& VelocityFollower::advance(TimeNs now) {
  forSubsteps(stamp_, now, [&](double dt) { step(dt); });
  stamp_ = std::max(now, stamp_);
  return reference_;
}

bool VelocityFollower::isAtRest() const {
  return reference_.v_WB.norm() < kAtRest && reference_.a_WB.norm() < kAtRest &&
         std::abs(reference_.yaw_rate) < kAtRest;
}

void VelocityFollower::step(double dt) {
  Reference& r = reference_;
  Vector3d velocity = clampedNorm(command_.velocity, limits_.speed);
  Vector3d turning = Vector3d::Zero();  // [m/s^2] of a velocity that turns with the heading
  if (command_.in_heading_frame) {
    velocity = Eigen::AngleAxisd(r.yaw, Vector3d::UnitZ()) * velocity;
    if (!limits_.turns_with_heading) turning = r.yaw_rate * Vector3d::UnitZ().cross(velocity);
  }
  const Vector3d acceleration =
      clampedNorm(kSpeedGain * (velocity - r.v_WB) + turning, limits_.acceleration);
  r.j_WB = kJerkGain * (acceleration - r.a_WB);
  r.p_WB += dt * r.v_WB + 0.5 * dt * dt * r.a_WB;
  r.v_WB += dt * r.a_WB;
  r.a_WB += dt * r.j_WB;

  if (limits_.turns_with_heading) {
    const Eigen::AngleAxisd turn(dt * r.yaw_rate, Vector3d::UnitZ());
    for (Vector3d* part : {&r.v_WB, &r.a_WB, &r.j_WB}) *part = turn * *part;
  }
  const double rate = std::clamp(command_.yaw_rate, -limits_.yaw_rate, limits_.yaw_rate);
  r.yaw = wrapAngle(r.yaw + dt * r.yaw_rate);
  r.yaw_rate += std::min(kYawBandwidth * dt, 1.0) * (rate - r.yaw_rate);
}

}  // namespace marsim::control
