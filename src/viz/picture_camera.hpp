// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include <Eigen/Geometry>

namespace marsim::viz {

/// A projection from places in W to pixels of a picture. Pixels: x right, y down, (0, 0) the top
/// left corner.
class PictureCamera {
 public:
  /// Axes of the camera in W: unit, at right angles, right x up = -forward.
  struct Axes {
    Eigen::Vector3d right, up, forward;
  };

  /// Parallel projection: `centre` [m] appears at `pixel`, one metre is `scale` pixels everywhere.
  static PictureCamera parallel(const Axes& axes, const Eigen::Vector3d& centre, double scale,
                                const Eigen::Vector2d& pixel);
  /// Perspective from `eye` [m]: the forward axis appears at `pixel`; `focal` [px].
  static PictureCamera perspective(const Axes& axes, const Eigen::Vector3d& eye, double focal,
                                   const Eigen::Vector2d& pixel);

  struct Projected {
    double x, y;   ///< [px]
    double depth;  ///< [m] along the forward axis
  };
  /// None where the place lies behind the eye or is not finite.
  std::optional<Projected> project(const Eigen::Vector3d& p_W) const;
  /// Pixels a metre across at a depth.
  double scaleAt(double depth) const { return perspective_ ? focal_ / depth : focal_; }
  bool isPerspective() const { return perspective_; }
  const Axes& axes() const { return axes_; }

 private:
  Axes axes_;
  Eigen::Vector3d origin_ = Eigen::Vector3d::Zero();
  double focal_ = 1.0;
  Eigen::Vector2d pixel_ = Eigen::Vector2d::Zero();
  bool perspective_ = false;
};

}  // namespace marsim::viz
