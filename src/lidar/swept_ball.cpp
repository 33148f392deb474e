#include "swept_ball.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/map/surfel_tree_layout.hpp"

namespace marsim::lidar {

Eigen::AlignedBox3d boxOf(const map::SurfelMap& shape) {
  const map::TreeNode& root = shape.tree().nodes[0];
  Eigen::AlignedBox3d box;
  for (int child = 0; child < root.childCount(); ++child) {
    Eigen::Vector3d lower, upper;
    for (int axis = 0; axis < 3; ++axis) {
      const double step = std::ldexp(1.0, root.exponent[axis] - 127);
      lower[axis] = static_cast<double>(root.origin[axis]) + root.lower[axis][child] * step;
      upper[axis] = static_cast<double>(root.origin[axis]) + root.upper[axis][child] * step;
    }
    box.extend(Eigen::AlignedBox3d(shape.origin() + lower, shape.origin() + upper));
  }
  return box;
}

Ball ballAbout(const Eigen::AlignedBox3d& box) {
  return {box.center(), 0.5 * box.diagonal().norm()};
}

Ball sweptBall(const PoseTrack& track, const Ball& ball_M, double first, double last) {
  if (!track.moves()) return {track.at(0.0) * ball_M.centre, ball_M.radius};
  Eigen::AlignedBox3d box(track.at(first) * ball_M.centre);
  box.extend(track.at(last) * ball_M.centre);
  for (std::size_t i = 0; i < track.size(); ++i) {
    const double time = track.timeOf(i);
    if (time > first && time < last) box.extend(track.at(time) * ball_M.centre);
  }
  const double away = track.bulge(ball_M.centre.norm());
  // A time on a step may be read as a little before or after it.
  return {box.center(), (0.5 * box.diagonal().norm() + ball_M.radius + away) * 1.000001};
}

StraightBox straightBox(const PoseTrack& track, const Eigen::AlignedBox3d& box_M, double first,
                        double last) {
  const Eigen::Vector3d centre_M = box_M.center();
  const double middle = 0.5 * first + 0.5 * last;
  const Pose X_WM = track.at(middle);
  const Eigen::Vector3d begin = track.at(first) * centre_M, end = track.at(last) * centre_M;
  StraightBox box;
  box.middle = middle;
  box.centre = 0.5 * (begin + end);
  const double duration = last - first;
  const Eigen::Vector3d speed =
      duration > 0.0 ? Eigen::Vector3d((end - begin) / duration) : Eigen::Vector3d::Zero();
  box.speed = speed.cast<float>();
  box.R_BW = X_WM.q.conjugate().toRotationMatrix().cast<float>();
  // How far its centre leaves the straight line, and its corners their places by turning.
  double away = 0.0, angle = 0.0;
  const auto regard = [&](double time) {
    const Pose pose = track.at(time);
    away = std::max(away, (pose * centre_M - (box.centre + (time - middle) * speed)).norm());
    angle = std::max(angle, X_WM.q.angularDistance(pose.q));
  };
  regard(first);
  regard(last);
  for (std::size_t i = 0; i < track.size(); ++i) {
    if (track.timeOf(i) > first && track.timeOf(i) < last) regard(track.timeOf(i));
  }
  const double radius = 0.5 * box_M.diagonal().norm();
  // Turning by more than a radian may be on to anything between the poses.
  const double turned = angle > 1.0 ? 2.0 * radius : angle * radius;
  const double slack = away + track.bulge(centre_M.norm()) + turned + 1e-5;
  box.half = ((0.5 * box_M.sizes()).array() + slack).matrix().cast<float>();
  return box;
}

Ball roughBall(const MovingThing& thing, const Ball& ball_M) {
  const Eigen::Vector3d centre = thing.X_WM.front().p;
  double travel2 = 0.0;
  for (const Pose& pose : thing.X_WM) travel2 = std::max(travel2, (pose.p - centre).squaredNorm());
  return {centre, std::sqrt(travel2) + ball_M.centre.norm() + ball_M.radius};
}

bool RayBundle::mayMeet(const Ball& ball) const {
  const Eigen::Vector3f v = (ball.centre - origin).cast<float>();
  const float squared = v.squaredNorm();
  const float radius = (static_cast<float>(ball.radius) + spread) * 1.00001F;
  if (squared > (reach + radius) * (reach + radius) * 1.00001F) return false;
  if (cosine <= 0.0F) return true;
  // Distance from the cone's side: across * cosine - along * sine.
  const float along = v.dot(axis);
  const float across2 = std::max(squared - along * along, 0.0F);
  const float side = radius + along * sine + 1e-5F * std::sqrt(squared);
  return side >= 0.0F && across2 * cosine * cosine <= side * side + 1e-5F * squared;
}

}  // namespace marsim::lidar
