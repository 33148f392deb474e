// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/geometry/pose_track.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim {
namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;

double turnBetween(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b) {
  return degrees(logMap(a.normalized().conjugate() * b.normalized()).norm());
}

// Rate in B of a rotation whose unit quaternion changes by `q_dot` a second; a change along the
// quaternion itself has no effect.
Vector3d rateOf(const Eigen::Quaterniond& q, const Vector4d& q_dot) {
  return 2.0 * (q.conjugate() * Eigen::Quaterniond(q_dot)).vec();
}

}  // namespace

std::string problemOf(const StampedPose& pose, const StampedPose* before) {
  const Vector3d& p = pose.X_WB.p;
  const double length = pose.X_WB.q.norm();
  if (!isPlace(p)) {
    return fmt::format("position is {}, allowed: finite numbers up to {:.0f} m", pointText(p),
                       kFarthestPlace);
  }
  if (!(std::abs(length - 1.0) <= kUnitTolerance)) {
    return fmt::format("quaternion is of length {:g}, allowed: 1 within {:g} %", length,
                       100.0 * kUnitTolerance);
  }
  if (before == nullptr) return {};
  const double gap = toSeconds(pose.stamp - before->stamp);
  if (!(gap > 0.0)) {
    return fmt::format("stamp is {:.9f} s after that of the pose before, allowed: more than 0",
                       gap);
  }
  if (gap > PoseTrack::kLongestGap) {
    return fmt::format("stamp is {:g} s after that of the pose before, allowed: up to {:g} s", gap,
                       PoseTrack::kLongestGap);
  }
  const double turn = turnBetween(before->X_WB.q, pose.X_WB.q);
  if (turn > PoseTrack::kLargestTurn) {
    return fmt::format(
        "quaternion is turned by {:.1f} deg since the pose before, allowed: up to {:g}", turn,
        PoseTrack::kLargestTurn);
  }
  return {};
}

PoseTrack::PoseTrack(const std::vector<StampedPose>& poses, const std::string& where) {
  Validator(where).require(poses.size() >= 2, "number of poses", fmt::format("{}", poses.size()),
                           "2 or more");
  Vector4d last = Vector4d::Zero();
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const StampedPose& pose = poses[i];
    const std::string problem = problemOf(pose, i > 0 ? &poses[i - 1] : nullptr);
    if (!problem.empty()) throw Error(fmt::format("{}: pose {}: {}", where, i + 1, problem));
    Vector4d q = pose.X_WB.q.normalized().coeffs();
    if (q.dot(last) < 0.0) q = -q;
    last = q;
    Knot knot;
    knot.value << pose.X_WB.p, q;
    knot.curvature.setZero();
    stamps_.push_back(pose.stamp);
    knots_.push_back(knot);
  }
  bend();
}

double PoseTrack::secondsTo(std::size_t knot) const {
  return toSeconds(stamps_[knot] - stamps_[knot - 1]);
}

// The second derivatives that make the first ones continuous, zero at both ends: a tridiagonal
// system, solved from one end to the other and back (Thomas).
void PoseTrack::bend() {
  const std::size_t last = knots_.size() - 1;
  std::vector<double> upper(knots_.size(), 0.0);
  for (std::size_t i = 1; i < last; ++i) {
    const double before = secondsTo(i), after = secondsTo(i + 1);
    const double pivot = 2.0 * (before + after) - before * upper[i - 1];
    upper[i] = after / pivot;
    const Vector7d slopes = (knots_[i + 1].value - knots_[i].value) / after -
                            (knots_[i].value - knots_[i - 1].value) / before;
    knots_[i].curvature = (6.0 * slopes - before * knots_[i - 1].curvature) / pivot;
  }
  for (std::size_t i = last; i-- > 1;) {
    knots_[i].curvature -= upper[i] * knots_[i + 1].curvature;
  }
}

KinematicState PoseTrack::at(TimeNs stamp) const {
  KinematicState state;
  state.stamp = stamp;
  if (stamp < begin() || stamp > end()) {
    const Knot& knot = stamp < begin() ? knots_.front() : knots_.back();
    state.X_WB.p = knot.value.head<3>();
    state.X_WB.q = Eigen::Quaterniond(Vector4d(knot.value.tail<4>()));
    return state;
  }
  const auto after = std::upper_bound(stamps_.begin() + 1, stamps_.end() - 1, stamp);
  const auto i = static_cast<std::size_t>(after - stamps_.begin());
  const Knot &from = knots_[i - 1], &to = knots_[i];
  const double step = secondsTo(i);
  const double b = toSeconds(stamp - stamps_[i - 1]) / step, a = 1.0 - b;
  const double sixth = step * step / 6.0;
  const Vector7d value =
      a * from.value + b * to.value +
      sixth * ((a * a * a - a) * from.curvature + (b * b * b - b) * to.curvature);
  const Vector7d rate =
      (to.value - from.value) / step +
      step / 6.0 * ((1.0 - 3.0 * a * a) * from.curvature + (3.0 * b * b - 1.0) * to.curvature);
  const Vector7d bending = a * from.curvature + b * to.curvature;
  state.X_WB.p = value.head<3>();
  state.v_WB = rate.head<3>();
  state.a_WB = bending.head<3>();
  const Vector4d u = value.tail<4>(), u_dot = rate.tail<4>(), u_ddot = bending.tail<4>();
  const double length = u.norm();
  const Vector4d unit = u / length;
  state.X_WB.q = Eigen::Quaterniond(unit);
  state.w_WB_B = rateOf(state.X_WB.q, u_dot / length);
  state.dw_WB_B =
      rateOf(state.X_WB.q, u_ddot / length) - 2.0 * unit.dot(u_dot) / length * state.w_WB_B;
  return state;
}

}  // namespace marsim
