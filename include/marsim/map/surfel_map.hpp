// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/common/progress.hpp"
#include "marsim/common/view.hpp"
#include "marsim/map/point_cloud.hpp"
#include "marsim/map/surfel.hpp"
#include "marsim/map/surfel_tree.hpp"

namespace marsim::map {

class MapFile;
class MapFileWriter;

/// Settings for making a map from a cloud.
struct SurfelMapConfig {
  double resolution = 0.1;            ///< [m] r: voxel side
  double normal_radius_factor = 3.0;  ///< neighbourhood radius of normal and thickness, in r
  double planar_factor = 0.25;        ///< paper: planar where thickness < planar_factor * r
  Surface surface = Surface::kBlended;
  // For other surfaces than Surface::kPaper:
  double noise = 0.0;  ///< [m] standard deviation of points off their surface; 0: measured
  /// [m] radius of the neighbourhood that a point's surface is fitted to; 0: max(2 r, 8 noise)
  double smoothing_radius = 0.0;
  /// [m] 0: no blending; negative: 2 noise, at least r, at most 0.15 m
  double blending_depth = -1.0;
  /// [m] radius of the largest hole of a sheet that is filled; 0: none; negative: 3 r, at least
  /// 0.15
  double hole_radius = -1.0;
  /// The source's intensity that stands for a reflectivity of 100 %. 0: the first of 1, 255 and the
  /// largest voxel mean that no voxel's mean exceeds.
  double intensity_full_scale = 0.0;

  /// Whether the noise of the source has to be measured.
  bool measuresNoise() const { return surface != Surface::kPaper && noise == 0.0; }
  /// [m] Side of the voxels whose means surfels are made of.
  double detail() const;
  /// [m] Radius of the largest hole that is filled; 0: none.
  double largestHole() const;
  /// Throws ConfigError. `where` is the file or parameter namespace it was read from.
  void validate(const std::string& where) const;
};

/// Words of command lines and parameters: "paper", "blended", "sized".
const char* nameOf(Surface surface);
/// Throws UnknownNameError.
Surface surfaceOf(const std::string& name);

/// R = sqrt(3)/2 r [m]: half the diagonal of a voxel.
float discRadius(double resolution);

/// The preprocessed map: the one model of truth that renderers and collision checks share. A ray
/// (origin o, unit direction d) meets a surfel (position p, normal n, radius R)
/// - planar: where it crosses the plane through p with normal n, if that crossing lies within R of
/// p;
/// - not planar: at range (p - o).d, if the ray passes p within R.
/// (Kong et al., "MARSIM", RA-L 2023, eq. 1 and section IV-A.)
///
/// The map is its tree: p, n and planar are what the tree's leaves hold, in double precision
/// relative to its origin. Copies share it.
class SurfelMap {
 public:
  /// Downsamples the cloud and makes surfels of it. Throws ConfigError, Error.
  static SurfelMap build(const PointCloud& cloud, const SurfelMapConfig& config,
                         Progress& progress = Progress::none());
  /// Stores surfels, which the tree orders and rounds. Throws ConfigError, Error.
  static SurfelMap of(const SurfelSet& set, const SurfelMapConfig& config);
  /// Takes surfels as they are (tests, procedural sets); planar as the configuration says.
  SurfelMap(const std::vector<Surfel>& surfels, const SurfelMapConfig& config,
            const Blending& blending = {});
  /// Uses the tree in a file, which stays mapped as long as the map or a copy of it lives. Throws
  /// FileError where its bytes cannot come from writeTo().
  static SurfelMap fromFile(std::shared_ptr<const MapFile> file, const SurfelMapConfig& config);
  /// Adds the tree's sections; this map owns their memory.
  void writeTo(MapFileWriter& writer) const;

  /// The tree that renderers traverse; valid as long as the map or a copy of it lives.
  const SurfelTreeView& tree() const { return tree_; }
  std::size_t size() const { return static_cast<std::size_t>(tree_.header.surfel_count); }
  /// Origin [m in W] of the tree's coordinates.
  Eigen::Vector3d origin() const { return Eigen::Vector3d(tree_.header.origin); }
  /// Decodes all surfels, by their numbers, with positions in W rounded to float. The thickness is
  /// 0 for planar surfels and infinite for others. Where rounding matters (far from the origin) use
  /// decodeSurfels(tree()).
  std::vector<Surfel> surfels() const;
  /// Decodes the surfels' positions in W.
  PointCloud positions() const;

  const SurfelMapConfig& config() const { return config_; }
  double resolution() const { return config_.resolution; }
  /// R [m] of surfels of the usual size, see discRadius().
  float radius() const { return tree_.header.radius; }
  /// R [m] of all surfels, by their numbers.
  std::vector<float> radii() const;
  /// Surfels thinner than this are planar [m].
  float planarThreshold() const { return planar_threshold_; }
  bool isPlanar(const Surfel& surfel) const { return surfel.thickness < planar_threshold_; }
  /// Blending of this map's surfels; off for maps of Surface::kPaper.
  const Blending& blending() const { return blending_; }
  /// Noise [m] of the cloud's points across their surfaces; 0: not measured.
  float noise() const { return noise_; }
  /// Box of the surfels' positions (not of their extents) [m] in W.
  Eigen::AlignedBox3f bounds() const;
  /// Share of planar surfels, 0 to 1.
  double planarShare() const;
  /// Channels of the surfels by number, as far as the source has them; reflectivity comes from its
  /// intensities or else its colours. Valid as long as the map or a copy of it lives.
  const SurfelChannelViews& channels() const { return channels_; }
  /// The file that holds the tree; null where the map is in memory only.
  const std::shared_ptr<const MapFile>& file() const { return file_; }

 private:
  SurfelMap(const std::vector<Surfel>& surfels, const SurfelMapConfig& config,
            const Blending& blending, float planar_threshold, float noise,
            const SurfelChannels& channels, const std::vector<std::uint8_t>& sizes);
  SurfelMap() = default;

  std::shared_ptr<const SurfelTree> owned_;
  std::shared_ptr<const MapFile> file_;
  SurfelTreeView tree_{};        // points into owned_ or file_
  SurfelChannelViews channels_;  // likewise
  SurfelMapConfig config_;
  Blending blending_;
  float planar_threshold_ = 0.0F;
  float noise_ = 0.0F;
};

/// Normal and thickness of every point of a downsampled cloud, in its order, from its neighbours
/// within `radius` [m], itself included (principal components; covariance divided by their number).
/// Fewer than three neighbours, or all on a line: not planar, thickness = radius, normal +z. Runs
/// on all cores; the result does not depend on their number. Throws ConfigError for a radius that
/// is not positive, Error where the points spread over more than two million radii.
std::vector<Surfel> estimateSurfels(const PointCloud& cloud, double radius,
                                    Progress& progress = Progress::none());

/// Makes surfels of a downsampled cloud by a configuration. `voxels` has one point for each voxel
/// of side detail(), in the order of the voxels' keys, and is used up. `measured_noise` [m] is the
/// source's (measureNoise). Runs on all cores; the result does not depend on their number.
SurfelSet makeSurfels(PointCloud&& voxels, double measured_noise, const SurfelMapConfig& config,
                      Progress& progress = Progress::none());

}  // namespace marsim::map
