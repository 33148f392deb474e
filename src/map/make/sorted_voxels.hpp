#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace marsim::map {

/// A point and the voxel that holds it.
struct VoxelPoint {
  std::uint64_t key;    ///< voxelKey
  std::uint32_t index;  ///< of the point

  bool operator<(const VoxelPoint& other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

/// Points by voxels of side `resolution` [m], within a voxel by number. On all cores.
std::vector<VoxelPoint> sortedByVoxel(const std::vector<Eigen::Vector3f>& points,
                                      double resolution);

/// Where the voxels begin among sorted points, and the end of the last.
std::vector<std::size_t> voxelBegins(const std::vector<VoxelPoint>& points);

}  // namespace marsim::map
