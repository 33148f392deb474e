// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/map/voxel_grid.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "map/make/voxel_runs.hpp"
#include "map/tree/morton.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

/// Voxels from the origin to either end of an axis: indices are -2^20 to 2^20 - 1.
constexpr double kHalfRange = 1048576.0;

[[noreturn]] void throwOutside(const Eigen::Vector3f& point, double resolution) {
  throw Error(fmt::format(
      "point ({}, {}, {}) m lies outside the voxel grid, allowed: within {} m of the origin at "
      "a resolution of {} m",
      point.x(), point.y(), point.z(), kHalfRange * resolution, resolution));
}

inline std::uint64_t keyOf(const Eigen::Vector3f& point, double resolution) {
  std::uint64_t key = 0;
  for (int axis = 0; axis < 3; ++axis) {
    // Division instead of multiplication by 1/r: every caller must find the same voxel at a border.
    const double index = std::floor(static_cast<double>(point[axis]) / resolution);
    if (!(index >= -kHalfRange && index < kHalfRange)) throwOutside(point, resolution);
    key = key << 1 | spreadBits(static_cast<std::uint64_t>(index + kHalfRange));
  }
  return key;
}

}  // namespace

double voxelGridReach(double resolution) { return kHalfRange * resolution; }

bool insideVoxelGrid(const Eigen::Vector3f& point, double resolution) {
  for (int axis = 0; axis < 3; ++axis) {
    const double index = std::floor(static_cast<double>(point[axis]) / resolution);
    if (!(index >= -kHalfRange && index < kHalfRange)) return false;
  }
  return true;
}

std::uint64_t voxelKey(const Eigen::Vector3f& point, double resolution) {
  return keyOf(point, resolution);
}

void requireResolution(double resolution) { Validator("").positive("resolution", resolution, "m"); }

void computeVoxelKeys(const Eigen::Vector3f* points, std::size_t count, double resolution,
                      std::uint64_t* keys) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 4096), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      keys[i] = keyOf(points[i], resolution);
    }
  });
}

PointCloud downsample(const PointCloud& cloud, double resolution) {
  requireResolution(resolution);
  std::vector<std::uint64_t> keys(cloud.size());
  computeVoxelKeys(cloud.points.data(), cloud.size(), resolution, keys.data());
  PointCloud means;
  appendMeans(cloud, keys, Duplicates::kCount, means);
  return means;
}

}  // namespace marsim::map
