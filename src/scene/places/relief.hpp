// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include <Eigen/Geometry>

#include "scene/places/surface_sampler.hpp"

namespace marsim::scene {

/// Smooth relief of uneven ground: a sum of waves about a dozen metres long, scaled to the given
/// height within a rectangle around (0, 0) and shifted to 0 there.
class Relief {
 public:
  /// Extent of the rectangle and peak-to-peak height [m].
  Relief(double size_x, double size_y, double height, std::uint64_t seed);

  /// Height [m] at a place [m].
  double height(double x, double y) const { return scale_ * (raw(x, y) - offset_); }

 private:
  struct Wave {
    double kx, ky, phase, amplitude;
  };
  double raw(double x, double y) const;

  std::array<Wave, 6> waves_{};
  double scale_ = 0.0;
  double offset_ = 0.0;
};

/// Adds the points of a ground with a `height` [m] at each place over `area` [m], one in each cell
/// of the sampler's spacing and off the height by a standard deviation of `roughness` [m].
void layGround(const Eigen::AlignedBox2d& area, double roughness,
               const std::function<double(double, double)>& height, SurfaceSampler& sampler);

}  // namespace marsim::scene
