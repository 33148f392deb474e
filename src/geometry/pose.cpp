// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/geometry/pose.hpp"

#include <cmath>

#include "marsim/geometry/pose_settings.hpp"

namespace marsim {

Eigen::Quaterniond fromRollPitchYaw(double roll, double pitch, double yaw) {
  return Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) *
         Eigen::AngleAxisd(pitch, Eigen::Vector3d::UnitY()) *
         Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitX());
}

void declarePose(Settings& settings, Pose& X_AB) {
  settings.optional("position", X_AB.p, "m");
  std::optional<Eigen::Vector3d> rpy;
  settings.optional("rpy", rpy, "rad");
  if (rpy) X_AB.q = fromRollPitchYaw(rpy->x(), rpy->y(), rpy->z());
}

Eigen::Vector3d toRollPitchYaw(const Eigen::Quaterniond& q) {
  const Eigen::Matrix3d R = q.toRotationMatrix();
  const double pitch = std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0)));
  return {std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0))};
}

double yawOf(const Eigen::Quaterniond& q_WB) {
  const Eigen::Vector3d x = q_WB * Eigen::Vector3d::UnitX();
  return std::atan2(x.y(), x.x());
}

double wrapAngle(double angle) { return std::remainder(angle, 2.0 * kPi); }

Eigen::Quaterniond expMap(const Eigen::Vector3d& rotation_vector) {
  const double angle = rotation_vector.norm();
  // sin(a/2)/a by its series near zero.
  const double scale = angle < 1e-6 ? 0.5 - angle * angle / 48.0 : std::sin(0.5 * angle) / angle;
  Eigen::Quaterniond q;
  q.w() = std::cos(0.5 * angle);
  q.vec() = scale * rotation_vector;
  return q;
}

Eigen::Vector3d logMap(const Eigen::Quaterniond& q) {
  const double sign = q.w() < 0.0 ? -1.0 : 1.0;
  const Eigen::Vector3d v = sign * q.vec();
  const double sine = v.norm();
  if (sine < 1e-9) return 2.0 * v;
  return (2.0 * std::atan2(sine, sign * q.w()) / sine) * v;
}

}  // namespace marsim
