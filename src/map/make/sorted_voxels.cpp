// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/sorted_voxels.hpp"

#include "marsim/map/voxel_grid.hpp"

namespace marsim::map {

std::vector<VoxelPoint> sortedByVoxel(const std::vector<Eigen::Vector3f>& points,
                                      double resolution) {
  return sortedByKey(points,
                     [=](const Eigen::Vector3f& point) { return voxelKey(point, resolution); });
}

std::vector<std::size_t> voxelBegins(const std::vector<VoxelPoint>& points) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == 0 || points[i].key != points[i - 1].key) begins.push_back(i);
  }
  begins.push_back(points.size());
  return begins;
}

}  // namespace marsim::map
