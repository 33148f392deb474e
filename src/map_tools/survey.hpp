#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "map_tools/free_volume.hpp"
#include "marsim/common/progress.hpp"
#include "marsim/map/point_cloud.hpp"
#include "marsim/map/surfel_map.hpp"

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
  FreeVolume free;     ///< that can be reached from the start, in voxels of at least four spacings
  double noise = 0.0;  ///< [m] standard deviation of points off their surfaces; 0: not measured
  /// Share of the points without a neighbour within so many spacings.
  double isolated = 0.0;
  static constexpr double kIsolated = 3.0;
  bool z_up = true, metres = true;  ///< nothing looks as if another axis were up, or another unit
  std::vector<std::string> warnings;

  /// Share of beams at the points that would pass where surfels are made at `resolution` [m]: the
  /// mean of exp(-pi R^2 / s^2), R = sqrt(3)/2 r, over points that lie at random with spacing s.
  double passing(double resolution) const;

  std::vector<double> spacings;  ///< [m] of the sampled points
};

/// The spacing of Survey [m]; 0 where no point has eight neighbours.
double medianSpacing(const map::PointCloud& cloud);

/// Surveys a cloud of finite points. The same for the same cloud. The start is looked for in the
/// map made of the cloud, where there is one.
Survey surveyCloud(const map::PointCloud& cloud,
                   const std::shared_ptr<const map::SurfelMap>& map = nullptr);

/// Reads the finite points of a PCD or PLY file in W, duplicates included, which takes much less
/// time than to leave them out, and surveys them like surveyCloud(); a VIEWPOINT is a warning.
/// Throws FileError.
Survey surveyFile(const std::filesystem::path& path,
                  const std::shared_ptr<const map::SurfelMap>& map, Progress& progress);

}  // namespace marsim::map_tools
