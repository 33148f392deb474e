// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/control/pose_follower.hpp"

#include <algorithm>
#include <cmath>

#include "control/loops/clamped_norm.hpp"
#include "control/loops/substeps.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

constexpr double kArrived = 1e-6;  // [m], [m/s], [m/s^2], [rad], [rad/s]
// Share of the acceleration limit used for planned braking, so that the lag of the acceleration
// behind its command causes no overshoot.
constexpr double kBraking = 0.7;

// Triple pole at -w: s^3 + 3 w s^2 + 3 w^2 s + w^3, as a cascade of position, velocity and
// acceleration.
constexpr double kW = PoseFollower::kFrequency;
constexpr double kPositionGain = kW / 3.0;
constexpr double kVelocityGain = kW;
constexpr double kAccelerationGain = 3.0 * kW;

// Speed towards a target at a distance: proportional near by; farther off the speed from which
// `acceleration` brings it to rest (tangent to the straight part), at most `limit`.
double approachSpeed(double distance, double limit, double acceleration) {
  const double linear = acceleration / (kPositionGain * kPositionGain);
  const double speed = distance < linear
                           ? kPositionGain * distance
                           : std::sqrt(2.0 * acceleration * (distance - 0.5 * linear));
  return std::min(speed, limit);
}

}  // namespace

PoseFollower::PoseFollower(const Reference& from, TimeNs start, const GoalLimits& limits)
    : limits_(limits), state_{start, from, 0.0, from.p_WB, from.yaw} {}

void PoseFollower::setTarget(const Vector3d& p_WB, double yaw) {
  state_.target_p_WB = p_WB;
  state_.target_yaw = yaw;
}

const Reference& PoseFollower::advance(TimeNs now) {
  forSubsteps(state_.stamp, now, [&](double dt) { step(dt); });
  state_.stamp = std::max(now, state_.stamp);
  return state_.reference;
}

bool PoseFollower::hasArrived() const {
  const Reference& r = state_.reference;
  return (state_.target_p_WB - r.p_WB).norm() < kArrived && r.v_WB.norm() < kArrived &&
         r.a_WB.norm() < kArrived && std::abs(wrapAngle(state_.target_yaw - r.yaw)) < kArrived &&
         std::abs(r.yaw_rate) < kArrived;
}

void PoseFollower::step(double dt) {
  Reference& r = state_.reference;
  const Vector3d way = state_.target_p_WB - r.p_WB;
  const double distance = way.norm();
  Vector3d velocity = Vector3d::Zero();
  if (distance > 0.0) {
    velocity =
        approachSpeed(distance, limits_.speed, kBraking * limits_.acceleration) / distance * way;
  }
  const Vector3d acceleration =
      clampedNorm(kVelocityGain * (velocity - r.v_WB), limits_.acceleration);
  r.j_WB = kAccelerationGain * (acceleration - r.a_WB);
  r.p_WB += dt * r.v_WB + 0.5 * dt * dt * r.a_WB;
  r.v_WB += dt * r.a_WB;
  r.a_WB += dt * r.j_WB;

  // The yaw has no limit of acceleration; it reaches its rate within 1/w.
  const double turn = wrapAngle(state_.target_yaw - r.yaw);
  const double sharpest = kW * limits_.yaw_rate;
  const double rate =
      std::copysign(approachSpeed(std::abs(turn), limits_.yaw_rate, kBraking * sharpest), turn);
  const double yaw_acceleration =
      std::clamp(kVelocityGain * (rate - r.yaw_rate), -sharpest, sharpest);
  r.yaw = wrapAngle(r.yaw + dt * r.yaw_rate);
  r.yaw_rate += dt * state_.yaw_acceleration;
  state_.yaw_acceleration += dt * kAccelerationGain * (yaw_acceleration - state_.yaw_acceleration);
}

}  // namespace marsim::control
