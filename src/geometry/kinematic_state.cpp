// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/geometry/kinematic_state.hpp"

#include <algorithm>
#include <cmath>

namespace marsim {
namespace {

// Inverse right Jacobian of SO(3) at a rotation vector, times a vector.
Eigen::Vector3d inverseRightJacobian(const Eigen::Vector3d& phi, const Eigen::Vector3d& w) {
  const double angle = phi.norm();
  const double factor = angle < 1e-4 ? 1.0 / 12.0
                                     : 1.0 / (angle * angle) - (1.0 + std::cos(angle)) /
                                                                   (2.0 * angle * std::sin(angle));
  const Eigen::Vector3d cross = phi.cross(w);
  return w + 0.5 * cross + factor * phi.cross(cross);
}

Eigen::Vector3d hermite(const Eigen::Vector3d& x0, const Eigen::Vector3d& v0,
                        const Eigen::Vector3d& x1, const Eigen::Vector3d& v1, double dt, double s) {
  const double s2 = s * s, s3 = s2 * s;
  return (2.0 * s3 - 3.0 * s2 + 1.0) * x0 + (s3 - 2.0 * s2 + s) * dt * v0 +
         (3.0 * s2 - 2.0 * s3) * x1 + (s3 - s2) * dt * v1;
}

}  // namespace

Pose interpolatePose(const KinematicState& from, const KinematicState& to, TimeNs t) {
  if (t <= from.stamp) return from.X_WB;
  if (t >= to.stamp) return to.X_WB;
  const double dt = toSeconds(to.stamp - from.stamp);
  const double s = toSeconds(t - from.stamp) / dt;

  const Eigen::Vector3d phi = logMap(from.X_WB.q.conjugate() * to.X_WB.q);
  const Eigen::Vector3d phi_rate = inverseRightJacobian(phi, to.w_WB_B);
  const Eigen::Vector3d rotation =
      hermite(Eigen::Vector3d::Zero(), from.w_WB_B, phi, phi_rate, dt, s);
  Pose X_WB;
  X_WB.q = (from.X_WB.q * expMap(rotation)).normalized();
  X_WB.p = hermite(from.X_WB.p, from.v_WB, to.X_WB.p, to.v_WB, dt, s);
  return X_WB;
}

StateHistory::StateHistory(const Pose& X_WB, TimeNs begin, TimeNs end) {
  KinematicState state;
  state.X_WB = X_WB;
  for (const TimeNs stamp : {begin, end}) {
    state.stamp = stamp;
    push(state);
  }
}

bool StateHistory::push(const KinematicState& state) {
  if (!states_.empty() && state.stamp <= states_.back().stamp) return false;
  states_.push_back(state);
  return true;
}

bool StateHistory::covers(TimeNs begin, TimeNs end) const {
  return !states_.empty() && states_.front().stamp <= begin && states_.back().stamp >= end;
}

Pose StateHistory::poseAt(TimeNs t) const {
  const auto after =
      std::upper_bound(states_.begin(), states_.end(), t,
                       [](TimeNs time, const KinematicState& state) { return time < state.stamp; });
  if (after == states_.begin()) return states_.front().X_WB;
  if (after == states_.end()) return states_.back().X_WB;
  return interpolatePose(*std::prev(after), *after, t);
}

void StateHistory::discardBefore(TimeNs t) {
  while (states_.size() > 2 && states_[1].stamp <= t) states_.pop_front();
}

}  // namespace marsim
