// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "map_tools/recording.hpp"
#include "map_tools/sources.hpp"
#include "marsim/common/bounds.hpp"
#include "marsim/common/progress.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::map_tools {

/// Settings of importFiles.
struct ImportConfig {
  static constexpr Bounds kScales{1e-6, 1e6};

  /// [m] spacing of samples of meshes, largest side of OctoMaps' leaves, one point per voxel for
  /// points. 0: points and leaves stay as they are; meshes need a resolution.
  double resolution = 0.0;
  /// [m] of one unit of the files; none: 1, or a LAS file's own.
  std::optional<double> scale;
  std::vector<std::string> columns;  ///< names of the tables' columns, see readTable()
  UpAxis up = UpAxis::kAuto;         ///< of the files; auto: as the file says, else z
  /// Puts points of PCD files into the frame of VIEWPOINT; false: leaves them as they are.
  bool apply_viewpoint = false;
  std::uint64_t seed = 1;     ///< of the sampling
  ImportLimits limits;        ///< for meshes, OctoMaps and bags
  RecordingConfig recording;  ///< for folders and bags; its source is not used

  double metres() const { return scale.value_or(1.0); }  ///< [m] of a unit
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// The axis of a name: auto, y, z. Throws UnknownNameError.
UpAxis upAxisOf(const std::string& name);

/// Result for one file.
struct ImportedFile {
  std::filesystem::path path;
  std::string kind;            ///< "LAS", "mesh of 12 triangles", ...
  std::size_t read = 0;        ///< points in the file, or sampled
  std::size_t not_finite = 0;  ///< dropped among them, for scans also points at the LiDAR itself
  std::size_t colourless = 0;  ///< of the kept points: black, since without colour
  Eigen::AlignedBox3d box;     ///< [m] in W, of the kept points
  Notes notes;
};

/// A map made from files.
struct Imported {
  map::PointCloud cloud;
  /// [m] W's origin in the files' coordinates, scaled and turned: zero unless the points lie more
  /// than 10 km from the files' origin (UTM and the like).
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  std::vector<ImportedFile> files;
  std::size_t before_thinning = 0;  ///< points, if the resolution thinned them
};

/// The extensions that importFiles accepts.
const std::vector<std::string>& importFormats();

/// Reads files of any of these formats, folders of scans and bags into one cloud, z up, in metres.
/// Throws FileError, ConfigError.
Imported importFiles(const std::vector<std::filesystem::path>& paths, const ImportConfig& config,
                     Progress& progress = Progress::none());

/// Describes the VIEWPOINT of a PCD file, in one line.
std::string viewpointNote(const Pose& viewpoint, bool is_applied);

/// A warning if a box suggests that another axis is up: z is far from the shortest side. Else
/// empty.
std::string upHint(const Eigen::AlignedBox3d& box);

/// A warning if a box suggests that its unit is not the metre. Else empty.
std::string unitHint(const Eigen::AlignedBox3d& box);

}  // namespace marsim::map_tools
