// SPDX-License-Identifier: BSD-3-Clause
#include "viz/picture_camera.hpp"

namespace marsim::viz {
namespace {

constexpr double kNear = 0.05;  // [m] points nearer to the eye are not shown

}  // namespace

PictureCamera PictureCamera::parallel(const Axes& axes, const Eigen::Vector3d& centre, double scale,
                                      const Eigen::Vector2d& pixel) {
  PictureCamera camera;
  camera.axes_ = axes;
  camera.origin_ = centre;
  camera.focal_ = scale;
  camera.pixel_ = pixel;
  return camera;
}

PictureCamera PictureCamera::perspective(const Axes& axes, const Eigen::Vector3d& eye, double focal,
                                         const Eigen::Vector2d& pixel) {
  PictureCamera camera = parallel(axes, eye, focal, pixel);
  camera.perspective_ = true;
  return camera;
}

std::optional<PictureCamera::Projected> PictureCamera::project(const Eigen::Vector3d& p_W) const {
  if (!p_W.allFinite()) return std::nullopt;
  const Eigen::Vector3d p = p_W - origin_;
  const double depth = axes_.forward.dot(p);
  if (perspective_ && depth < kNear) return std::nullopt;
  const double scale = scaleAt(depth);
  return Projected{pixel_.x() + scale * axes_.right.dot(p), pixel_.y() - scale * axes_.up.dot(p),
                   depth};
}

}  // namespace marsim::viz
