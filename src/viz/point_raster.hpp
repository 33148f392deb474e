// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "viz/palette.hpp"
#include "viz/picture_camera.hpp"

namespace marsim::viz {

/// Draws points as small discs with a depth buffer, at twice the picture's resolution, and shades
/// them by the depth of their surroundings (eye-dome lighting, Boucheny 2009), which shows the
/// structure of clouds that have no normals.
class PointRaster {
 public:
  PointRaster(int width, int height, const PictureCamera& camera);

  /// A disc of `diameter` [m], but at least `min_pixels` wide; `bias` [m] draws it nearer.
  void point(const Eigen::Vector3d& p_W, const Rgb& colour, double diameter, double min_pixels,
             double bias = 0.0);

  /// The picture, row by row, 4 bytes a pixel as cairo's RGB24 (native 0x00RRGGBB).
  std::vector<std::uint32_t> shaded() const;

 private:
  float shade(int x, int y) const;

  static constexpr int kSamples = 2;  // each way in a pixel
  PictureCamera camera_;
  int width_, height_;  // [samples]
  std::vector<float> depth_;
  std::vector<Rgb> colour_;
};

}  // namespace marsim::viz
