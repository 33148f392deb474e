// SPDX-License-Identifier: BSD-3-Clause
#include "sim/ideal_motion.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "marsim/common/units.hpp"

namespace marsim::sim {
namespace {

using control::Reference;
using Eigen::Vector3d;

constexpr double kLeastThrust = 0.1;    // [m/s^2] a smaller thrust is free fall
constexpr double kLeastHeading = 1e-3;  // of x unnormalised; below it yaw is undefined
constexpr double kDifference = 1e-4;    // [s]

struct Attitude {
  Eigen::Matrix3d R_WB;
  Vector3d w_WB_B;
};

Attitude attitudeOf(const Reference& reference) {
  const Vector3d x_C(std::cos(reference.yaw), std::sin(reference.yaw), 0.0);
  const Vector3d y_C(-x_C.y(), x_C.x(), 0.0);
  const Vector3d thrust = reference.a_WB + Vector3d(0.0, 0.0, kGravity);
  Attitude attitude;
  const Vector3d z = thrust.normalized(), across = y_C.cross(z);
  const double heading = across.norm();
  if (thrust.norm() < kLeastThrust || heading < kLeastHeading) {
    attitude.R_WB << x_C, y_C, Vector3d::UnitZ();
    attitude.w_WB_B = {0.0, 0.0, reference.yaw_rate};
    return attitude;
  }
  const Vector3d x = across / heading, y = z.cross(x);
  const Vector3d turn = (reference.j_WB - z.dot(reference.j_WB) * z) / thrust.norm();  // of z
  attitude.R_WB << x, y, z;
  const double w_y = x.dot(turn);
  const double w_z = (reference.yaw_rate * x_C.dot(x) + w_y * y_C.dot(z)) / heading;
  attitude.w_WB_B = {-y.dot(turn), w_y, w_z};
  return attitude;
}

}  // namespace

Reference carriedOn(const Reference& reference, double t) {
  Reference later = reference;
  later.p_WB += t * (reference.v_WB + t * (reference.a_WB / 2.0 + t * reference.j_WB / 6.0));
  later.v_WB += t * (reference.a_WB + t * reference.j_WB / 2.0);
  later.a_WB += t * reference.j_WB;
  later.yaw += t * reference.yaw_rate;
  return later;
}

KinematicState flatState(const Reference& reference, TimeNs stamp) {
  const Attitude attitude = attitudeOf(reference);
  KinematicState state;
  state.stamp = stamp;
  state.X_WB = {Eigen::Quaterniond(attitude.R_WB), reference.p_WB};
  state.v_WB = reference.v_WB;
  state.a_WB = reference.a_WB;
  state.w_WB_B = attitude.w_WB_B;
  state.dw_WB_B = (attitudeOf(carriedOn(reference, kDifference)).w_WB_B -
                   attitudeOf(carriedOn(reference, -kDifference)).w_WB_B) /
                  (2.0 * kDifference);
  return state;
}

void IdealMotion::add(const Reference& reference, TimeNs stamp, TimeNs acts_at) {
  waiting_.push_back({reference, stamp, acts_at});
}

void IdealMotion::clear() {
  waiting_.clear();
  active_.reset();
}

KinematicState IdealMotion::after(const KinematicState& now, TimeNs stamp) {
  while (!waiting_.empty() && waiting_.front().acts_at <= now.stamp) {
    active_ = waiting_.front();
    waiting_.pop_front();
  }
  if (!active_) {
    KinematicState rest;
    rest.stamp = stamp;
    rest.X_WB = now.X_WB;
    return rest;
  }
  const TimeNs age = stamp - active_->stamp;
  Reference reference = carriedOn(active_->reference, toSeconds(std::min(age, kCarryOn)));
  if (age > kCarryOn) {
    reference.v_WB.setZero();
    reference.a_WB.setZero();
    reference.j_WB.setZero();
    reference.yaw_rate = 0.0;
  }
  return flatState(reference, stamp);
}

}  // namespace marsim::sim
