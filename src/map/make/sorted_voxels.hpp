// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <Eigen/Core>

namespace marsim::map {

/// A point and the voxel, or other cell, that holds it.
struct VoxelPoint {
  std::uint64_t key;    ///< of the voxel
  std::uint32_t index;  ///< of the point

  bool operator<(const VoxelPoint& other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

/// Points sorted by keyOf(point), points of one key by number. On all cores.
template <class KeyOf>
std::vector<VoxelPoint> sortedByKey(const std::vector<Eigen::Vector3f>& points,
                                    const KeyOf& keyOf) {
  std::vector<VoxelPoint> result(points.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, points.size()), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      result[i] = {keyOf(points[i]), static_cast<std::uint32_t>(i)};
    }
  });
  tbb::parallel_sort(result.begin(), result.end());
  return result;
}

/// Points sorted by voxels of side `resolution` [m], in a voxel by number. On all cores.
std::vector<VoxelPoint> sortedByVoxel(const std::vector<Eigen::Vector3f>& points,
                                      double resolution);

/// The beginning of each voxel among sorted points, and the end of the last.
std::vector<std::size_t> voxelBegins(const std::vector<VoxelPoint>& points);

}  // namespace marsim::map
