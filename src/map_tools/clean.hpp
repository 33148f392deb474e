// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

#include <Eigen/Geometry>

#include "map_tools/recording.hpp"
#include "marsim/common/bounds.hpp"
#include "marsim/common/progress.hpp"
#include "marsim/map/point_cloud.hpp"

/// Turns a raw map into one to fly in. Each step returns a cloud with all channels, on all cores;
/// the result does not depend on their number.
namespace marsim::map_tools {

/// Settings of removeOutliers.
struct OutlierConfig {
  std::size_t neighbours = 12;
  double sigmas = 3.0;
};

/// Removes the points whose mean distance to their nearest neighbours is more than `sigmas`
/// standard deviations above that of all points (Rusu et al., "Towards 3D Point Cloud Based Object
/// Maps for Household Environments", 2008; PCL's StatisticalOutlierRemoval).
map::PointCloud removeOutliers(const map::PointCloud& cloud, const OutlierConfig& config,
                               Progress& progress = Progress::none());

/// Removes the points that have fewer than `neighbours` others within `radius` [m].
map::PointCloud removeLonely(const map::PointCloud& cloud, double radius, std::size_t neighbours,
                             Progress& progress = Progress::none());

/// The points inside a box [m], borders included.
map::PointCloud crop(const map::PointCloud& cloud, const Eigen::AlignedBox3d& box);

/// A plane p . normal = height.
struct GroundPlane {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< unit, upwards
  double height = 0.0;                                ///< [m]
  std::size_t points = 0;                             ///< number of points on it
};

/// The lowest of the large planes that are within 30 degrees of level: RANSAC (Fischler and Bolles,
/// 1981) on voxel means, then a fit to all points near it. Throws Error where there is none.
GroundPlane findGround(const map::PointCloud& cloud, Progress& progress = Progress::none());

/// The cloud turned about its origin, by the shortest rotation that levels the plane.
map::PointCloud levelled(const map::PointCloud& cloud, const GroundPlane& ground);

/// [m] Widths of holes that fillHoles accepts.
constexpr Bounds kHoleWidths{1e-3, 5.0};

/// The cloud with points added where a surface has holes no wider than `width` [m] with points all
/// round them. Added points have the channels of their nearest point.
map::PointCloud fillHoles(const map::PointCloud& cloud, double width,
                          Progress& progress = Progress::none());

/// Settings of removeMovingTraces.
struct TraceConfig {
  static constexpr Bounds kVoxels{0.01, 100.0};  ///< [m]

  double voxel = 0.2;         ///< [m]
  std::size_t passes = 2;     ///< least number of scans that see through a voxel
  double ratio = 1.0;         ///< least ratio of these to the scans with a hit in it
  std::size_t rays = 40'000;  ///< most rays of a scan
};

/// Statistics of removeMovingTraces.
struct TraceReport {
  std::size_t scans = 0;
  std::size_t voxels = 0;  ///< cleared voxels
};

/// Removes the points in voxels that more scans see through than have hits in. A ray sees through a
/// voxel if it passes the mean of its points within 0.45 of its side and goes on for two sides or
/// more, not at a flat angle to its surface. The scans must be those from which the map was made,
/// in its frame.
map::PointCloud removeMovingTraces(const map::PointCloud& cloud, const RecordingConfig& recording,
                                   const TraceConfig& config, TraceReport& report,
                                   Progress& progress);

/// Removes traces with other scans: `scans` calls its argument for each scan.
using ForEachScan = std::function<void(const std::function<void(const Keyframe&)>&)>;
map::PointCloud removeMovingTraces(const map::PointCloud& cloud, const ForEachScan& scans,
                                   const TraceConfig& config, TraceReport& report);

}  // namespace marsim::map_tools
