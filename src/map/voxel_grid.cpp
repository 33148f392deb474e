#include "marsim/map/voxel_grid.hpp"

#include <algorithm>
#include <atomic>
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
#include "voxel_runs.hpp"

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

/// Removes from the points of one voxel, in the cloud's order, those that equal an earlier one;
/// returns how many are left at the front.
std::size_t removeEqual(const PointCloud& cloud, KeyedPoint* points, std::size_t count) {
  constexpr std::size_t kFew = 32;  // compared each with each
  const auto at = [&](std::size_t i) -> const Eigen::Vector3f& {
    return cloud.points[points[i].index];
  };
  if (count > kFew) {
    const auto before = [&](const KeyedPoint& a, const KeyedPoint& b) {
      const Eigen::Vector3f& p = cloud.points[a.index];
      const Eigen::Vector3f& q = cloud.points[b.index];
      if (p.x() != q.x()) return p.x() < q.x();
      if (p.y() != q.y()) return p.y() < q.y();
      if (p.z() != q.z()) return p.z() < q.z();
      return a.index < b.index;
    };
    std::sort(points, points + count, before);
    KeyedPoint* const end = std::unique(points, points + count, [&](const auto& a, const auto& b) {
      return cloud.points[a.index] == cloud.points[b.index];
    });
    std::sort(points, end);
    return static_cast<std::size_t>(end - points);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t earlier = 0;
    while (earlier < kept && at(earlier) != at(i)) ++earlier;
    if (earlier == kept) points[kept++] = points[i];
  }
  return kept;
}

}  // namespace

std::uint64_t voxelKey(const Eigen::Vector3f& point, double resolution) {
  return axisKey(point, 0, resolution) << 2 | axisKey(point, 1, resolution) << 1 |
         axisKey(point, 2, resolution);
}

void requireResolution(const Eigen::AlignedBox3f& box, double resolution) {
  const std::string value = fmt::format("{} m", resolution);
  if (!(resolution > 0.0) || !std::isfinite(resolution)) {
    throw ConfigError("", "resolution", value, "more than 0 m");
  }
  if (box.isEmpty()) return;
  const double extent = box.cast<double>().sizes().maxCoeff();
  if (resolution <= extent) return;
  throw ConfigError("", "resolution", value,
                    fmt::format("more than 0 m, at most the cloud's extent of {:.3f} m", extent));
}

std::size_t appendMeans(const PointCloud& cloud, std::vector<KeyedPoint>& keyed,
                        Duplicates duplicates, PointCloud& means) {
  tbb::parallel_sort(keyed.begin(), keyed.end());
  std::vector<std::size_t> begins;  // of the voxels' runs, and the end
  for (std::size_t i = 0; i < keyed.size(); ++i) {
    if (i == 0 || keyed[i].key != keyed[i - 1].key) begins.push_back(i);
  }
  begins.push_back(keyed.size());

  const std::size_t voxels = begins.size() - 1;
  const std::size_t first = means.size();
  means.points.resize(first + voxels);
  if (cloud.hasIntensity()) means.intensity.resize(first + voxels);
  std::atomic<std::size_t> dropped{0};
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, voxels), [&](const auto& range) {
    std::size_t dropped_here = 0;
    for (std::size_t voxel = range.begin(); voxel != range.end(); ++voxel) {
      KeyedPoint* const points = keyed.data() + begins[voxel];
      std::size_t size = begins[voxel + 1] - begins[voxel];
      if (duplicates == Duplicates::kDrop) {
        const std::size_t kept = removeEqual(cloud, points, size);
        dropped_here += size - kept;
        size = kept;
      }
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      double intensity = 0.0;
      for (std::size_t i = 0; i < size; ++i) {
        sum += cloud.points[points[i].index].cast<double>();
        if (cloud.hasIntensity()) {
          intensity += static_cast<double>(cloud.intensity[points[i].index]);
        }
      }
      const auto count = static_cast<double>(size);
      means.points[first + voxel] = (sum / count).cast<float>();
      if (cloud.hasIntensity()) {
        means.intensity[first + voxel] = static_cast<float>(intensity / count);
      }
    }
    dropped += dropped_here;
  });
  return dropped;
}

PointCloud downsample(const PointCloud& cloud, double resolution) {
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& point : cloud.points) box.extend(point);
  requireResolution(box, resolution);
  std::vector<KeyedPoint> keyed(cloud.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, cloud.size()), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      keyed[i] = {voxelKey(cloud.points[i], resolution), i};
    }
  });
  PointCloud means;
  appendMeans(cloud, keyed, Duplicates::kCount, means);
  return means;
}

}  // namespace marsim::map
