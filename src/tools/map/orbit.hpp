// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Geometry>

namespace marsim::tools {

/// A camera that orbits a place and looks at it, z up.
class Orbit {
 public:
  /// Shows a whole box from behind and above.
  explicit Orbit(const Eigen::AlignedBox3f& box);

  /// Turns by shares of the window's height, to the right and down.
  void turn(double right, double down);
  void move(double right, double down);
  /// Positive: closer.
  void zoom(double steps);

  /// From W to OpenGL's clip space; `aspect`: width over height.
  Eigen::Matrix4f projection(double aspect) const;
  /// Pixels per metre at a distance of one metre, for a window of that height.
  static double focal(double height);

 private:
  Eigen::Matrix3d axes() const;  // rows: right, up, backward

  Eigen::Vector3d centre_;
  double size_;         // [m] of the box
  double distance_;     // [m]
  double yaw_ = -0.9;   // [rad] of the eye about the centre
  double pitch_ = 0.6;  // [rad] elevation of the eye
};

}  // namespace marsim::tools
