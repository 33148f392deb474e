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

/// Which range a ray gets where it meets several surfels of one surface.
enum class Surface {
  kPaper,    ///< "paper": the nearest
  kBlended,  ///< "blended": a weighted mean over the first surface, of smoothed surfels
};

/// First-surface blending. Let the nearest surfel a ray meets be at range t0, with position p0 and
/// normal n0. Every surfel i met at t_i from t0 to t0 + depth counts that agrees with the first:
/// both planar, |n_i . n0| >= min_cosine and |n0 . (p_i - p0)| <= max_offset; or both not planar.
/// What lies outside the ray's limits of range is not met.
/// With c_i the distance from p_i of the crossing (planar) or of the ray (not planar) its weight is
/// (1 - (c_i / R)^2) (1 - (t_i - t0) / depth) + 1e-6, and the range is the weighted mean of t_i;
/// the normal and the surfel are those of the largest weight (of equal ones the lowest number).
struct Blending {
  float depth = 0.0F;       ///< [m] 0: no blending, the paper's function
  float min_cosine = 0.8F;  ///< of the angle between normals
  float max_offset = 0.0F;  ///< [m] of a surfel's position from the first one's plane

  bool on() const { return depth > 0.0F; }
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
  SurfelMap(std::vector<Surfel> surfels, const SurfelMapConfig& config,
            const Blending& blending = {});
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
  /// How renderers blend it; off for maps of Surface::kPaper.
  const Blending& blending() const { return blending_; }
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
  Blending blending_;
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
