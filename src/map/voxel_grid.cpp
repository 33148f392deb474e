#include "marsim/map/voxel_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <Eigen/Geometry>

#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

/// Voxels from the origin to either end of an axis: indices are -2^20 to 2^20 - 1.
constexpr double kHalfRange = 1048576.0;

/// Moves the lowest 21 bits of a number three places apart.
std::uint64_t spread(std::uint64_t bits) {
  bits = (bits | bits << 32) & 0x001F00000000FFFFULL;
  bits = (bits | bits << 16) & 0x001F0000FF0000FFULL;
  bits = (bits | bits << 8) & 0x100F00F00F00F00FULL;
  bits = (bits | bits << 4) & 0x10C30C30C30C30C3ULL;
  bits = (bits | bits << 2) & 0x1249249249249249ULL;
  return bits;
}

std::uint64_t axisKey(const Eigen::Vector3f& point, int axis, double resolution) {
  // Divided, not multiplied by 1/r: a border must belong to one voxel for every caller.
  const double index = std::floor(static_cast<double>(point[axis]) / resolution);
  if (!(index >= -kHalfRange && index < kHalfRange)) {
    throw Error(fmt::format(
        "point ({}, {}, {}) m lies outside the voxel grid, allowed: within {} m of the origin at "
        "a resolution of {} m",
        point.x(), point.y(), point.z(), kHalfRange * resolution, resolution));
  }
  return spread(static_cast<std::uint64_t>(index + kHalfRange));
}

struct KeyedPoint {
  std::uint64_t key;
  std::size_t index;
  bool operator<(const KeyedPoint& other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

void requireResolution(const PointCloud& cloud, double resolution) {
  const std::string value = fmt::format("{} m", resolution);
  if (!(resolution > 0.0) || !std::isfinite(resolution)) {
    throw ConfigError("", "resolution", value, "more than 0 m");
  }
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3f& point : cloud.points) box.extend(point.cast<double>());
  if (cloud.empty() || resolution <= box.sizes().maxCoeff()) return;
  throw ConfigError(
      "", "resolution", value,
      fmt::format("more than 0 m, at most the cloud's extent of {:.3f} m", box.sizes().maxCoeff()));
}

std::vector<KeyedPoint> sortByVoxel(const PointCloud& cloud, double resolution) {
  std::vector<KeyedPoint> keyed(cloud.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, cloud.size()), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      keyed[i] = {voxelKey(cloud.points[i], resolution), i};
    }
  });
  tbb::parallel_sort(keyed.begin(), keyed.end());
  return keyed;
}

}  // namespace

std::uint64_t voxelKey(const Eigen::Vector3f& point, double resolution) {
  return axisKey(point, 0, resolution) << 2 | axisKey(point, 1, resolution) << 1 |
         axisKey(point, 2, resolution);
}

PointCloud downsample(const PointCloud& cloud, double resolution) {
  requireResolution(cloud, resolution);
  const std::vector<KeyedPoint> keyed = sortByVoxel(cloud, resolution);
  std::vector<std::size_t> begins;  // of the voxels' runs, and the end
  for (std::size_t i = 0; i < keyed.size(); ++i) {
    if (i == 0 || keyed[i].key != keyed[i - 1].key) begins.push_back(i);
  }
  begins.push_back(keyed.size());

  PointCloud means;
  const std::size_t voxels = begins.size() - 1;
  means.points.resize(voxels);
  if (cloud.hasIntensity()) means.intensity.resize(voxels);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, voxels), [&](const auto& range) {
    for (std::size_t voxel = range.begin(); voxel != range.end(); ++voxel) {
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      double intensity = 0.0;
      for (std::size_t i = begins[voxel]; i < begins[voxel + 1]; ++i) {
        sum += cloud.points[keyed[i].index].cast<double>();
        if (cloud.hasIntensity()) intensity += static_cast<double>(cloud.intensity[keyed[i].index]);
      }
      const auto count = static_cast<double>(begins[voxel + 1] - begins[voxel]);
      means.points[voxel] = (sum / count).cast<float>();
      if (cloud.hasIntensity()) means.intensity[voxel] = static_cast<float>(intensity / count);
    }
  });
  return means;
}

}  // namespace marsim::map
