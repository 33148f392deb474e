// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/cast/swept_ball.hpp"

#include <algorithm>
#include <cmath>

#include "map/tree/leaf_storage.hpp"

namespace marsim::lidar {

Eigen::AlignedBox3d boxOf(const map::SurfelMap& shape) {
  const map::TreeNode& root = shape.tree().nodes[0];
  Eigen::AlignedBox3d box;
  for (int child = 0; child < root.childCount(); ++child) {
    Eigen::Vector3d lower, upper;
    for (int axis = 0; axis < 3; ++axis) {
      const auto step = map::gridStep<double>(root, axis);
      lower[axis] = static_cast<double>(root.origin[axis]) + root.lower[axis][child] * step;
      upper[axis] = static_cast<double>(root.origin[axis]) + root.upper[axis][child] * step;
    }
    box.extend(Eigen::AlignedBox3d(shape.origin() + lower, shape.origin() + upper));
  }
  return box;
}

BoundingSphere ballAbout(const Eigen::AlignedBox3d& box) {
  return {box.center(), 0.5 * box.diagonal().norm()};
}

namespace {

// Half the sides of the box plus its tolerance.
void setHalf(const Eigen::Vector3d& half, double slack, MovingBox& box) {
  for (int axis = 0; axis < 3; ++axis) {
    box.half[axis] = static_cast<float>(half[axis] + slack);
  }
}

}  // namespace

Sweep sweepOf(const ObjectMotion& track, const Eigen::AlignedBox3d& box_M, double first,
              double last, const Eigen::Vector3d& origin, double spread) {
  const BoundingSphere ball_M = ballAbout(box_M);
  const double middle = 0.5 * first + 0.5 * last, duration = last - first;
  const Pose X_WM = track.at(middle), X0 = track.at(first), X1 = track.at(last);
  const Eigen::Vector3d begin = X0 * ball_M.centre, end = X1 * ball_M.centre;
  const Eigen::Vector3d centre = 0.5 * (begin + end);
  const Eigen::Vector3d speed =
      duration > 0.0 ? Eigen::Vector3d((end - begin) / duration) : Eigen::Vector3d::Zero();
  Eigen::AlignedBox3d places(begin);
  // Distance of the centre from the straight line, and the largest sine of half the turning angle.
  double away2 = 0.0, sine2 = 0.0;
  const auto regard = [&](double time, const Pose& X, const Eigen::Vector3d& place) {
    places.extend(place);
    away2 = std::max(away2, (place - (centre + (time - middle) * speed)).squaredNorm());
    if (!track.turns()) return;
    sine2 = std::max(sine2, (X_WM.q.conjugate() * X.q).vec().squaredNorm());
  };
  regard(first, X0, begin);
  regard(last, X1, end);
  for (std::size_t i = 0; i < track.size(); ++i) {
    const double time = track.timeOf(i);
    if (time > first && time < last) regard(time, track.pose(i), track.pose(i) * ball_M.centre);
  }
  const double bulge = track.bulge(ball_M.centre.norm());
  Sweep sweep;
  // Rounding may take a time at a step to either side of it.
  sweep.ball = {places.center(),
                (0.5 * places.diagonal().norm() + ball_M.radius + bulge) * 1.000001};
  // A corner moves by a chord. A turn by more than a radian may pass anything between the poses.
  const double turned = 2.0 * ball_M.radius * (sine2 > 0.23 ? 1.0 : 1.01 * std::sqrt(sine2));
  const Eigen::Vector3d from = centre - origin;
  const double rounding = 2e-6 * (from.norm() + spread);
  setHalf(0.5 * box_M.sizes(), std::sqrt(away2) + bulge + turned + 1e-5 + rounding, sweep.box);
  const Eigen::Matrix3d R_BW = X_WM.q.conjugate().toRotationMatrix();
  for (int axis = 0; axis < 3; ++axis) {
    sweep.box.centre[axis] = static_cast<float>(from[axis]);
    sweep.box.speed[axis] = static_cast<float>(speed[axis]);
    for (int k = 0; k < 3; ++k) sweep.box.R_BW[axis][k] = static_cast<float>(R_BW(axis, k));
  }
  sweep.box.middle = static_cast<float>(middle);
  return sweep;
}

BoundingSphere roughBall(const MovingObject& object, const BoundingSphere& ball_M) {
  const Eigen::Vector3d centre = object.X_WM.front().p;
  double travel2 = 0.0;
  for (const Pose& pose : object.X_WM) travel2 = std::max(travel2, (pose.p - centre).squaredNorm());
  return {centre, std::sqrt(travel2) + ball_M.centre.norm() + ball_M.radius};
}

}  // namespace marsim::lidar
