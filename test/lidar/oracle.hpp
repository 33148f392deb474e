// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "marsim/lidar/renderer.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::lidar {

/// A ray in double precision, in W [m].
struct OracleRay {
  Eigen::Vector3d origin, direction;
  double range_max;
  double range_min = 0.0;
};

struct OracleResult {
  double range = std::numeric_limits<double>::infinity();  ///< [m]
  /// The surfels whose mean is the range, with weights; for a paper surface the nearest, with 1.
  std::vector<std::pair<std::uint32_t, double>> weights;
  bool ambiguous = false;  ///< a change within rounding would change the answer

  bool hit() const { return range < std::numeric_limits<double>::infinity(); }
};

/// The surface that a ray meets by SurfelMap's definition: in double precision, trying every surfel
/// stored in the map's tree that the ray does not miss by far.
class Oracle {
 public:
  explicit Oracle(const map::SurfelMap& map);
  /// Uses surfels about `origin` [m] in W, as many as the map's, in place of these.
  Oracle(const map::SurfelMap& map, std::vector<map::Surfel> surfels,
         const Eigen::Vector3d& origin);

  /// The first surface, blended as the map says. A ray is ambiguous if changing R, the planar
  /// threshold or one of the blending's settings by 1e-5 of itself, its origin by 1e-6 m or its
  /// direction by 1e-6 rad changes hit to miss or moves the range by more than 1 mm.
  OracleResult trace(const OracleRay& ray) const;
  /// Whether a hit's surfel has the largest weight but for rounding, and the normal is its own.
  bool explains(const OracleRay& ray, const OracleResult& result, const Hit& hit,
                bool with_normal) const;
  /// Range at which a ray meets one surfel; infinite where it does not.
  double rangeOf(std::uint32_t surfel, const OracleRay& ray) const;

 private:
  struct Variation;
  OracleRay inTree(OracleRay ray) const;
  struct Meeting;
  std::vector<std::uint32_t> candidates(const OracleRay& ray) const;
  Meeting meet(std::uint32_t surfel, const OracleRay& ray, const Variation& variation) const;
  bool agree(std::uint32_t surfel, std::uint32_t first, const Variation& variation) const;
  bool planar(std::uint32_t surfel, const Variation& variation) const;
  OracleResult firstSurface(const std::vector<std::uint32_t>& surfels, const OracleRay& ray,
                            const Variation& variation) const;

  /// Neighbouring surfels in a ball, so that a ray can pass them by together.
  struct Group {
    Eigen::Vector3d centre;
    double radius;  ///< [m] about the positions
    std::vector<std::uint32_t> surfels;
  };
  void addGroups(std::vector<std::uint32_t> surfels);
  bool passesWithin(const OracleRay& ray, const Eigen::Vector3d& point, double distance) const;

  const map::SurfelMap& map_;
  const std::vector<map::Surfel> surfels_;  ///< relative to the origin
  const std::vector<float> radii_;          ///< [m] of the surfels
  const double largest_radius_;             ///< [m]
  const Eigen::Vector3d origin_;            ///< [m] in W
  std::vector<Group> groups_;
};

/// Whether two ranges are a hit and a miss, or more than 1 mm apart.
bool differs(double range, double other);

OracleRay toOracleRay(const Ray& ray);

/// The rays of an image's cell centres, row by row.
std::vector<OracleRay> imageRays(const ImageGrid& grid, const Pose& X_WS, double range_max);

}  // namespace marsim::lidar
