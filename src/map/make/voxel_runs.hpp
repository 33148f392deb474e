// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "marsim/map/point_cloud.hpp"

/// Steps shared by downsampling in memory and from a stream.
namespace marsim::map {

enum class Duplicates { kCount, kDrop };

/// voxelKey of consecutive points, on all cores.
void computeVoxelKeys(const Eigen::Vector3f* points, std::size_t count, double resolution,
                      std::uint64_t* keys);

/// Memory of appendMeans per point, besides the point and its key [bytes].
constexpr std::size_t kOrderBytes = 8;

/// Appends the mean of every voxel's points and channels, and their number as its weight, in the
/// order of the keys; keys[i] is the voxel of point i. With kDrop a point that equals an earlier
/// one of the cloud is ignored. Returns the number dropped. On all cores; the result does not
/// depend on their number.
std::size_t appendMeans(const PointCloud& cloud, const std::vector<std::uint64_t>& keys,
                        Duplicates duplicates, PointCloud& means);

/// Throws ConfigError for a resolution that is not positive.
void requireResolution(double resolution);

}  // namespace marsim::map
