#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/map/point_cloud.hpp"

/// What downsampling in memory and from a stream share.
namespace marsim::map {

/// A point of a cloud and the voxel that holds it.
struct KeyedPoint {
  std::uint64_t key;  ///< voxelKey
  std::size_t index;  ///< into the cloud
  bool operator<(const KeyedPoint& other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

enum class Duplicates { kCount, kDrop };

/// Appends the mean of every voxel's points (and intensities) in the order of the keys; sorts
/// `keyed` on the way. With kDrop a point that equals an earlier one of the cloud does not count.
/// Returns the number dropped. On all cores; the result does not depend on their number.
std::size_t appendMeans(const PointCloud& cloud, std::vector<KeyedPoint>& keyed,
                        Duplicates duplicates, PointCloud& means);

/// Throws ConfigError for a resolution that is not positive or larger than a box's longest side.
void requireResolution(const Eigen::AlignedBox3f& box, double resolution);

}  // namespace marsim::map
