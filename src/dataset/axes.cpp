// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/axes.hpp"

#include <cmath>

namespace marsim::dataset {
namespace {

/// Half a turn about the diagonal of x and y, from ENU to NED and back.
const Eigen::Quaterniond& worldTurn() {
  static const Eigen::Quaterniond turn(0.0, std::sqrt(0.5), std::sqrt(0.5), 0.0);
  return turn;
}

/// Half a turn about x, from FLU to FRD and back.
const Eigen::Quaterniond kBodyTurn(0.0, 1.0, 0.0, 0.0);

Pose withPositiveW(Pose pose) {
  if (pose.q.w() < 0.0) pose.q.coeffs() = -pose.q.coeffs();
  return pose;
}

}  // namespace

Eigen::Vector3d inWorld(Axes axes, const Eigen::Vector3d& v_W) {
  if (axes == Axes::kEnu) return v_W;
  return {v_W.y(), v_W.x(), -v_W.z()};
}

Eigen::Vector3d inSensor(Axes axes, const Eigen::Vector3d& v_S) {
  if (axes == Axes::kEnu) return v_S;
  return {v_S.x(), -v_S.y(), -v_S.z()};
}

Pose sensorInWorld(Axes axes, const Pose& X_WS) {
  if (axes == Axes::kEnu) return withPositiveW(X_WS);
  return withPositiveW({worldTurn() * X_WS.q * kBodyTurn.conjugate(), inWorld(axes, X_WS.p)});
}

Pose cameraInWorld(Axes axes, const Pose& X_WC) {
  if (axes == Axes::kEnu) return withPositiveW(X_WC);
  return withPositiveW({worldTurn() * X_WC.q, inWorld(axes, X_WC.p)});
}

Pose cameraInSensor(Axes axes, const Pose& X_BC) {
  if (axes == Axes::kEnu) return X_BC;
  return {kBodyTurn * X_BC.q, inSensor(axes, X_BC.p)};
}

Pose sensorInSensor(Axes axes, const Pose& X_AB) {
  if (axes == Axes::kEnu) return X_AB;
  return {kBodyTurn * X_AB.q * kBodyTurn.conjugate(), inSensor(axes, X_AB.p)};
}

}  // namespace marsim::dataset
