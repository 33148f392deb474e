// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "lidar/camera/painter.hpp"

namespace marsim::lidar {

/// Largest width of a pinhole, in resolutions of the map, and where these are less in m.
constexpr double kWidestPinhole = 2.0, kWidestPinholeAtLeast = 0.2;
/// Largest length of a pinhole, in its largest widths: three spacings of points 0.15 m apart.
constexpr float kLongestPinhole = 2.25F;

/// Closes pinholes in an image: small gaps between surfels of one surface, through which pixels
/// see the sky or surfaces far behind. A pixel is in a pinhole if, in its row and in its
/// column, the surface goes on at both sides of a gap: one no wider than a pinhole, the other no
/// longer than one. Its range and looks then lie between those at the ends of the narrow gap; its
/// surfel is that of the nearer end.
class PinholeCloser {
 public:
  /// `directions`: unit, in C, of the pixels' centres; `resolution` [m] of the map. Keeps
  /// references.
  PinholeCloser(const Frame& frame, const std::vector<Eigen::Vector3f>& directions,
                const CameraModel& model, double resolution);

  /// Changes hits, and `looks` where not null.
  void close(std::vector<Hit>& hits, SurfaceLooks* looks) const;

 private:
  static constexpr float kLeastPixels = 5.0F, kMostPixels = 64.0F;  ///< across a pinhole
  /// Pixels on both sides of a gap.
  struct Gap {
    std::size_t first = 0, last = 0;
    bool is_narrow = false;  ///< no wider than a pinhole, else no longer than one
  };
  struct Pinhole {
    std::uint32_t pixel;
    Gap gap;
  };

  Eigen::Vector3f directionOf(std::size_t pixel) const;
  /// Largest offset [m] of one end of a gap from the plane of the other, at a distance [m].
  float toleranceAt(float distance) const;
  bool goesOn(const Hit& from, bool is_ball, const Hit& to, const Eigen::Vector3f& to_direction,
              const Eigen::Vector3f& way, int pixels) const;
  /// Pixels of the map that the next one, in its row (`step` 1) or column (`step` the image's
  /// width), may see past.
  std::vector<std::uint32_t> edges(std::size_t step, const std::vector<Hit>& hits) const;
  /// Calls act for the gaps that begin at edges.
  template <class Act>
  void forGaps(const std::vector<std::uint32_t>& edges, std::size_t step,
               const std::vector<Hit>& hits, const Act& act) const;
  /// Pixels that a width [m] at a pixel's range has, 5 at least, and those of a gap's ends.
  float pixelsOf(float width, const Hit& hit) const;
  /// Pixels from one on a surface to the next one on it, if all between see past it; else 0.
  int gapAfter(std::size_t pixel, std::size_t step, int left, const std::vector<Hit>& hits) const;
  void fill(std::size_t pixel, const Gap& gap, std::vector<Hit>& hits, SurfaceLooks* looks) const;

  const Frame& frame_;
  const std::vector<Eigen::Vector3f>& directions_;
  const int width_, height_;
  const float pixel_angle_, resolution_, widest_;
  std::vector<Eigen::Matrix3f> R_WC_;
};

}  // namespace marsim::lidar
