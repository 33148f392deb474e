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

  /// [m] meshes are sampled at it, leaves of OctoMaps divided to it, points thinned to one a voxel.
  /// 0: points stay as they are, leaves as the tree's smallest; meshes need one.
  double resolution = 0.0;
  /// [m] of one unit of the files; none: 1, or what a LAS says.
  std::optional<double> scale;
  std::vector<std::string> columns;  ///< names of the columns of tables, see readTable()
  UpAxis up = UpAxis::kAuto;         ///< of the files; auto: as they say, z where they do not
  /// Points of PCD files lie in the frame of the file's VIEWPOINT; else as they are.
  bool apply_viewpoint = false;
  std::uint64_t seed = 1;     ///< of the sampling
  ImportLimits limits;        ///< of meshes, OctoMaps and bags
  RecordingConfig recording;  ///< how folders and bags are read; its source is not used

  double metres() const { return scale.value_or(1.0); }  ///< [m] of a unit
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// The axis of a name: auto, y, z. Throws UnknownNameError.
UpAxis upAxisOf(const std::string& name);

/// What became of one file.
struct ImportedFile {
  std::filesystem::path path;
  std::string kind;            ///< "LAS", "mesh of 12 triangles", ...
  std::size_t read = 0;        ///< points in the file, or sampled
  std::size_t not_finite = 0;  ///< of them, dropped; of scans also those at the LiDAR itself
  std::size_t colourless = 0;  ///< of those kept: black for want of a colour, and so dark
  Eigen::AlignedBox3d box;     ///< [m] in W, of those kept
  Notes notes;
};

/// A map made of files.
struct Imported {
  map::PointCloud cloud;
  /// [m] W's origin in the files' coordinates, scaled and turned: zero unless they lie more than
  /// 10 km from their own (UTM and the like).
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  std::vector<ImportedFile> files;
  std::size_t before_thinning = 0;  ///< points, where the resolution thinned any
};

/// The extensions that importFiles takes.
const std::vector<std::string>& importFormats();

/// Reads files of any of these formats, folders of scans and bags into one cloud, z up, in metres.
/// Throws FileError, ConfigError.
Imported importFiles(const std::vector<std::filesystem::path>& paths, const ImportConfig& config,
                     Progress& progress);

/// Describes the VIEWPOINT of a PCD file, in one line.
std::string viewpointNote(const Pose& viewpoint, bool is_applied);

/// A warning where a box looks as if another axis were up: z is far from the shortest side. Empty
/// where it does not.
std::string upHint(const Eigen::AlignedBox3d& box);

/// A warning where a box looks as if its unit were not the metre. Empty where it does not.
std::string unitHint(const Eigen::AlignedBox3d& box);

}  // namespace marsim::map_tools
