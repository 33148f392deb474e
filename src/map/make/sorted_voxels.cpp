#include "map/make/sorted_voxels.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include "marsim/map/voxel_grid.hpp"

namespace marsim::map {

std::vector<VoxelPoint> sortedByVoxel(const std::vector<Eigen::Vector3f>& points,
                                      double resolution) {
  std::vector<VoxelPoint> result(points.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, points.size()), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      result[i] = {voxelKey(points[i], resolution), static_cast<std::uint32_t>(i)};
    }
  });
  tbb::parallel_sort(result.begin(), result.end());
  return result;
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
