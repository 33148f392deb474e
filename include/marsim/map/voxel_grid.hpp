// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <Eigen/Core>

#include "marsim/map/point_cloud.hpp"

namespace marsim::map {

/// Key of the voxel of side `resolution` [m] that holds a point: 21 bits an axis, interleaved
/// (Morton order), so that neighbours in space are near in memory. The grid reaches 2^20 voxels
/// from the origin either way: 104 km at 0.1 m. A border belongs to the voxel above it. Throws
/// Error where the point lies outside that range.
std::uint64_t voxelKey(const Eigen::Vector3f& point, double resolution);

/// Reach [m] of the grid from the origin, on every axis.
double voxelGridReach(double resolution);
/// Whether a point has a voxel.
bool insideVoxelGrid(const Eigen::Vector3f& point, double resolution);

/// Returns one point for each voxel: the mean of the voxel's points (and of their intensities). The
/// output is in the order of the voxels' keys, so it does not depend on the input's order except by
/// rounding, nor on the number of cores. Throws ConfigError for a resolution that is not positive,
/// Error if a point lies outside the grid's range.
PointCloud downsample(const PointCloud& cloud, double resolution);

}  // namespace marsim::map
