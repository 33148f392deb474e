// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/progress.hpp"
#include "marsim/map/point_cloud.hpp"

/// Maps in the formats of other programs.
namespace marsim::map_tools {

/// Writes the voxels of side `resolution` [m] that hold a point as occupied leaves of an OctoMap,
/// .bt or .ot by the path's extension; all other space is unknown. Replaces the file as a whole
/// (OutputFile). Returns the number of voxels. Throws ConfigError, FileError, also if the program
/// was built without liboctomap, and Error for points beyond the 32768 voxels from the origin that
/// an OctoMap reaches.
std::size_t writeOctoMap(const std::filesystem::path& path, const map::PointCloud& cloud,
                         double resolution, Progress& progress = Progress::none());

/// Settings of sliceOf.
struct SliceConfig {
  double resolution = 0.1;  ///< [m] side of a cell
  double z_min = 0.0;       ///< [m] in W
  double z_max = 0.0;       ///< [m] in W

  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

enum class Occupancy : std::uint8_t { kUnknown, kFree, kOccupied };

/// A map in two dimensions between two heights.
struct OccupancySlice {
  double resolution = 0.0;       ///< [m] side of a cell
  Eigen::Vector2d origin;        ///< [m] in W, the corner of cell (0, 0) with the least x and y
  std::size_t width = 0;         ///< cells along x
  std::size_t height = 0;        ///< cells along y
  std::vector<Occupancy> cells;  ///< row by row, the least y first

  Occupancy at(std::size_t x, std::size_t y) const { return cells[y * width + x]; }
  std::size_t count(Occupancy occupancy) const;
};

/// A cell is occupied if a point lies between the heights, borders included. Else it is free if a
/// point lies below them, which means that a floor or ground was seen, or if at least five of its
/// eight neighbours have such a point (a gap between the points of a floor). All others are
/// unknown. Throws ConfigError, also if no point lies between the heights or if there would be more
/// than 400 million cells.
OccupancySlice sliceOf(const map::PointCloud& cloud, const SliceConfig& config);

/// Writes a slice for map_server of ROS: hall.yaml and, beside it, hall.pgm, each replaced as a
/// whole. Throws FileError.
void writeSlice(const std::filesystem::path& yaml, const OccupancySlice& slice);
/// hall.yaml -> hall.pgm.
std::filesystem::path imageOf(const std::filesystem::path& yaml);

}  // namespace marsim::map_tools
