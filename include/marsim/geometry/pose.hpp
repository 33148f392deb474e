// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Geometry>

/// Poses in monogram notation: X_AB is the pose of frame B in frame A; p_AB the position of B's
/// origin in A [m]; q_AB and R_AB the orientation of B in A; v_AB the velocity of B in A, expressed
/// in A [m/s]; w_AB_B the angular velocity of B in A, expressed in B [rad/s].
/// Frames: W world (ENU), B body (FLU), S sensor, I IMU, C camera (optical: z forward, x right).
namespace marsim {

/// Rigid transform X_AB; q stays normalised by its maker.
struct Pose {
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
  Eigen::Vector3d p = Eigen::Vector3d::Zero();  ///< [m]

  /// X_AC = X_AB * X_BC.
  Pose operator*(const Pose& X_BC) const { return {q * X_BC.q, p + q * X_BC.p}; }
  /// p_A = X_AB * p_B.
  Eigen::Vector3d operator*(const Eigen::Vector3d& p_B) const { return p + q * p_B; }
  /// X_BA.
  Pose inverse() const { return {q.conjugate(), -(q.conjugate() * p)}; }
};

/// Orientation from roll, pitch and yaw [rad], fixed axes x, y, z in that order (REP-103).
Eigen::Quaterniond fromRollPitchYaw(double roll, double pitch, double yaw);

/// Roll, pitch and yaw [rad] of an orientation, inverse of fromRollPitchYaw.
Eigen::Vector3d toRollPitchYaw(const Eigen::Quaterniond& q);

/// Yaw [rad] of an orientation: heading of the body x axis in the horizontal plane.
double yawOf(const Eigen::Quaterniond& q_WB);

/// Angle wrapped to [-pi, pi].
double wrapAngle(double angle);

/// Unit quaternion of a rotation vector [rad].
Eigen::Quaterniond expMap(const Eigen::Vector3d& rotation_vector);

/// Rotation vector [rad] of a unit quaternion, of length at most pi.
Eigen::Vector3d logMap(const Eigen::Quaterniond& q);

}  // namespace marsim
