// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

#include <Eigen/Core>

#include "marsim/common/settings.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

/// The projection of a camera: points in the optical frame C (x right, y down, z forward) to
/// pixels, whose centres are at integer coordinates, and back. With (x, y) on the plane z = 1:
/// - pinhole ("plumb_bob" of ROS and OpenCV, coefficients k1 k2 p1 p2 k3), s = x^2 + y^2:
///   x' = x (1 + k1 s + k2 s^2 + k3 s^3) + 2 p1 x y + p2 (s + 2 x^2), y' likewise (OpenCV's
///   calib3d);
/// - fisheye ("equidistant", coefficients k1 k2 k3 k4), a the angle with the axis:
///   a' = a (1 + k1 a^2 + k2 a^4 + k3 a^6 + k4 a^8), (x', y') = a' (x, y) / |(x, y)| (Kannala and
///   Brandt, PAMI 28(8), 2006; OpenCV's fisheye).
/// Then u = fx x' + cx, v = fy y' + cy.
struct CameraModel {
  enum class Projection { kPinhole, kFisheye };
  Projection projection = Projection::kPinhole;
  int width = 640, height = 480;       ///< [px]
  double fx = 0.0, fy = 0.0;           ///< [px]
  double cx = 0.0, cy = 0.0;           ///< [px]
  std::array<double, 5> distortion{};  ///< fisheye: the fifth is not used

  /// Number of the projection's distortion coefficients: 5, for a fisheye 4.
  std::size_t coefficients() const;
  /// A pinhole without distortion.
  bool isIdeal() const;
  /// Grid of the pixels of an ideal camera.
  ImageGrid grid() const;
  /// Pixel of a point [m] in C; not finite for a point behind a pinhole camera.
  Eigen::Vector2d project(const Eigen::Vector3d& p_C) const;
  /// Unit direction in C that a pixel sees. Not finite where the distortion does not reach the
  /// pixel, or folds over between the optical axis and the pixel.
  Eigen::Vector3d direction(const Eigen::Vector2d& pixel) const;
  void declare(Settings& settings);
  /// Throws ConfigError, also where a pixel has no direction.
  void validate(const std::string& where) const;
};

}  // namespace marsim::lidar
