// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/cell_grid.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "map/make/sorted_voxels.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

constexpr std::uint64_t kAxisBits = 21;
constexpr std::uint64_t kAxisMask = (1ULL << kAxisBits) - 1;
constexpr std::uint64_t kMaxCell = kAxisMask - 1;  // one cell is free at either end

}  // namespace

CellGrid::CellGrid(const std::vector<Eigen::Vector3f>& points, double side,
                   const Eigen::Vector3d& corner)
    : side_(side), corner_(corner) {
  Eigen::AlignedBox3d box;
  box.extend(corner_);
  for (const Eigen::Vector3f& point : points) box.extend(point.cast<double>());
  if (!(box.sizes().maxCoeff() < static_cast<double>(kMaxCell - 1) * side_)) {
    throw Error(
        fmt::format("points spread over {} m, allowed: at most {} m with neighbourhoods of {} m",
                    box.sizes().maxCoeff(), static_cast<double>(kMaxCell - 1) * side_, side));
  }
  const std::vector<VoxelPoint> sorted = sortedByKey(points, [&](const Eigen::Vector3f& point) {
    const Eigen::Vector3d offset = (point.cast<double>() - corner_) / side_;
    std::uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
      key = key << kAxisBits | (static_cast<std::uint64_t>(offset[axis]) + 1);
    }
    return key;
  });
  begins_ = voxelBegins(sorted);
  order_.reserve(sorted.size());
  for (const VoxelPoint& point : sorted) order_.push_back(point.index);
  for (std::size_t i = 0; i + 1 < begins_.size(); ++i) keys_.push_back(sorted[begins_[i]].key);
}

Eigen::Vector3d CellGrid::middle(std::uint64_t key) const {
  const Eigen::Vector3d place(static_cast<double>(key >> (2 * kAxisBits)),
                              static_cast<double>(key >> kAxisBits & kAxisMask),
                              static_cast<double>(key & kAxisMask));
  return corner_ + side_ * (place - Eigen::Vector3d::Constant(0.5));
}

std::size_t CellGrid::lowerBound(std::uint64_t key, std::size_t cell) const {
  // Callers walk the cells in order, so the answer is near: the step doubles until it is passed.
  std::size_t step = 1;
  while (cell + step < keys_.size() && keys_[cell + step] < key) {
    cell += step;
    step *= 2;
  }
  const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(cell);
  const auto last =
      keys_.begin() + static_cast<std::ptrdiff_t>(std::min(cell + step + 1, keys_.size()));
  return static_cast<std::size_t>(std::lower_bound(first, last, key) - keys_.begin());
}

CellGrid::Columns CellGrid::columnsAround(std::uint64_t key, Cursors& cursors) const {
  constexpr std::uint64_t kX = 1ULL << (2 * kAxisBits);
  constexpr std::uint64_t kY = 1ULL << kAxisBits;
  Columns columns;
  for (std::uint64_t column = 0; column < 9; ++column) {
    const std::uint64_t lowest = key + (column / 3) * kX - kX + (column % 3) * kY - kY - 1;
    cursors[column] = lowerBound(lowest, cursors[column]);
    std::size_t last = cursors[column];
    while (last < keys_.size() && keys_[last] <= lowest + 2) ++last;
    columns.begin[column] = begins_[cursors[column]];
    columns.end[column] = begins_[last];
    columns.points += columns.end[column] - columns.begin[column];
  }
  return columns;
}

}  // namespace marsim::map
