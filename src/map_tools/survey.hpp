#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/map/point_cloud.hpp"

namespace marsim::map_tools {

/// What the points of a map are fit for, from a sample of them.
struct Survey {
  Eigen::AlignedBox3d box;  ///< [m] in W
  /// [m] side of the square of surface that belongs to a point, from its eight nearest: the median.
  double spacing = 0.0;
  double resolution =
      0.0;  ///< [m] advised: the least of 1, 2, 5, 10, ... cm that beams do not pass
  /// Share of the surface on planes across x, y and z.
  std::array<double, 3> planes{};
  /// [m] in W, with this clearance; none where there is no place with 0.3 m.
  std::optional<Eigen::Vector3d> start;
  double start_clearance = 0.0;
  std::vector<std::string> warnings;

  /// Share of beams at the points that would pass where surfels are made at `resolution` [m]: the
  /// mean of exp(-pi R^2 / s^2), R = sqrt(3)/2 r, over points that lie at random with spacing s.
  double passing(double resolution) const;

  std::vector<double> spacings;  ///< [m] of the sampled points
};

/// Surveys a cloud of finite points. The same for the same cloud.
Survey surveyCloud(const map::PointCloud& cloud);

}  // namespace marsim::map_tools
