// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/progress.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::map {

/// A cloud as read, with what was dropped on the way.
struct LoadedCloud {
  PointCloud cloud;
  std::size_t read = 0;        ///< points in the file
  std::size_t non_finite = 0;  ///< dropped: a coordinate was NaN or infinite
  std::size_t duplicates = 0;  ///< dropped: same coordinates as an earlier point
  /// [m] W's origin in the file's coordinates: p_file = p_W + origin. Zero unless the points lie
  /// more than 10 km from their origin (UTM and the like).
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
};

/// Reads a PCD (ascii, binary, binary_compressed) or PLY (ascii, binary) file. Fields are x, y, z
/// and, if present, intensity (or reflectivity; else the luma of the colours), colours (red, green,
/// blue; PCL's rgb or rgba), classes (class, else label) and the place of the sensor (vp_x, vp_y,
/// vp_z), all of any number type. Colours are 0 to 1, 8 or 16 bits, by their type and the largest
/// of the file. Coordinates far from the origin are recentred before they are narrowed to float.
/// Points keep the file's order. Throws FileError, naming the file and the reason, if the file is
/// missing, of another kind, truncated, garbage, without x y z, empty or without a single finite
/// point.
LoadedCloud loadCloud(const std::filesystem::path& path, Progress& progress = Progress::none());

/// The points of a cloud that lie within `reach` [m] of its median on every axis; drops stray
/// points. Throws ConfigError where `reach` is not positive.
PointCloud within(const PointCloud& cloud, double reach);

/// Writes a binary PCD with x y z and the points' channels (intensity, rgb, label), whatever the
/// file's extension; replaces the file as a whole (OutputFile). Throws FileError.
void savePcd(const std::filesystem::path& path, const PointCloud& cloud);

/// Writes a cloud in the format of the extension: PCD or binary PLY. Throws FileError for another.
void saveCloud(const std::filesystem::path& path, const PointCloud& cloud);
/// The extensions that saveCloud() takes.
const std::vector<std::string>& cloudFormats();

}  // namespace marsim::map
