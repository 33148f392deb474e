#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/common/progress.hpp"
#include "marsim/common/view.hpp"
#include "marsim/map/map_file.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::map {

/// A map point standing for a cube of side r, the map's resolution.
struct Surfel {
  Eigen::Vector3f position;  ///< [m] in W
  Eigen::Vector3f normal;    ///< unit, sign arbitrary
  float thickness;           ///< [m] gamma: square root of the least eigenvalue of the
                             ///< neighbourhood's covariance
};

/// How a map is made of a cloud.
struct SurfelMapConfig {
  double resolution = 0.1;            ///< [m] r: voxel side
  double normal_radius_factor = 3.0;  ///< neighbourhood radius of normal and thickness, in r
  double planar_factor = 0.25;        ///< planar where thickness < planar_factor * r

  /// Throws ConfigError. `where` is the file or parameter namespace it was read from.
  void validate(const std::string& where) const;
};

/// The preprocessed map: the one model of truth that renderers and collision checks share. A ray
/// (origin o, unit direction d) meets a surfel (position p, normal n) with R = radius()
/// - planar: where it crosses the plane through p with normal n, if that crossing lies within R of
/// p;
/// - not planar: at range (p - o).d, if the ray passes p within R.
/// (Kong et al., "MARSIM", RA-L 2023, eq. 1 and section IV-A.)
class SurfelMap {
 public:
  /// Downsamples the cloud and estimates normals and thickness. Throws ConfigError, Error.
  static SurfelMap build(const PointCloud& cloud, const SurfelMapConfig& config,
                         Progress& progress);
  /// Takes surfels as they are (tests, procedural sets).
  SurfelMap(std::vector<Surfel> surfels, const SurfelMapConfig& config);
  /// The surfels in section `surfels` of a file, which stays mapped as long as the map or a copy of
  /// it lives. Throws FileError where a surfel is not finite or its normal is none.
  static SurfelMap fromFile(std::shared_ptr<const MapFile> file, const SurfelMapConfig& config);

  View<Surfel> surfels() const { return surfels_; }
  std::size_t size() const { return surfels_.size(); }
  const SurfelMapConfig& config() const { return config_; }
  double resolution() const { return config_.resolution; }
  /// R = sqrt(3)/2 r [m]: half the diagonal of a voxel.
  float radius() const { return radius_; }
  /// Surfels thinner than this are planar [m].
  float planarThreshold() const { return planar_threshold_; }
  bool isPlanar(const Surfel& surfel) const { return surfel.thickness < planar_threshold_; }
  /// Box of the surfels' positions (not of their extents) [m] in W.
  const Eigen::AlignedBox3f& bounds() const { return bounds_; }
  /// Share of planar surfels, 0 to 1.
  double planarShare() const;
  /// The file that holds the surfels and whatever else was made of the map; null where the map is
  /// in memory only.
  const std::shared_ptr<const MapFile>& file() const { return file_; }

 private:
  std::shared_ptr<const std::vector<Surfel>> owned_;  // shared by copies: they never change
  std::shared_ptr<const MapFile> file_;
  View<Surfel> surfels_;  // of one of the two
  SurfelMapConfig config_;
  float radius_;
  float planar_threshold_;
  Eigen::AlignedBox3f bounds_;
};

/// Normal and thickness of every point of a downsampled cloud, in its order, from its neighbours
/// within `radius` [m], itself included (principal components; covariance divided by their number).
/// Fewer than three neighbours, or all on a line: not planar, thickness = radius, normal +z. Runs
/// on all cores; the result does not depend on their number. Throws ConfigError for a radius that
/// is not positive, Error where the points spread over more than two million radii.
std::vector<Surfel> estimateSurfels(const PointCloud& cloud, double radius, Progress& progress);

}  // namespace marsim::map
