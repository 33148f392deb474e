// SPDX-License-Identifier: BSD-3-Clause
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

/// Properties of a map's points, from a sample of them.
struct Survey {
  Eigen::AlignedBox3d box;  ///< [m] in W
  /// [m] median side of the square of surface per point, from its eight nearest.
  double spacing = 0.0;
  /// Shares of the surface on planes normal to x, y and z.
  std::array<double, 3> planes{};
  /// [m] in W, with this clearance; none if no place has 0.3 m.
  std::optional<Eigen::Vector3d> start;
  double start_clearance = 0.0;
  FreeVolume free;     ///< reachable from the start, in voxels of at least four spacings
  double noise = 0.0;  ///< [m] standard deviation of points off their surfaces; 0: not measured
  /// Share of the points without a neighbour within a few spacings.
  double isolated = 0.0;
  static constexpr double kIsolated = 3.0;
  bool z_up = true, metres = true;  ///< no sign of another up axis or unit
  std::vector<std::string> warnings;
};

/// The spacing of Survey [m]; 0 if no point has eight neighbours.
double medianSpacing(const map::PointCloud& cloud);

/// Surveys a cloud of finite points. The result is the same for the same cloud. A start is searched
/// in the map made from the cloud, if given.
Survey surveyCloud(const map::PointCloud& cloud,
                   const std::shared_ptr<const map::SurfelMap>& map = nullptr);

/// Reads the finite points of a PCD or PLY file in W, including duplicates, since removing them
/// takes much longer, and surveys them like surveyCloud(); a VIEWPOINT is a warning. Throws
/// FileError.
Survey surveyFile(const std::filesystem::path& path,
                  const std::shared_ptr<const map::SurfelMap>& map,
                  Progress& progress = Progress::none());

}  // namespace marsim::map_tools
