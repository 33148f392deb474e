// SPDX-License-Identifier: BSD-3-Clause
#include "suite/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "marsim/common/error.hpp"

namespace marsim::suite {
namespace {

constexpr std::uint8_t kOccupied = 1;
constexpr std::uint8_t kReachable = 2;
constexpr std::uint8_t kSeen = 4;

// A voxel size [m] with few enough voxels, with two digits.
double largerVoxel(double voxel, double count, double most) {
  const double wanted = voxel * std::cbrt(count / most);
  const double digit = std::pow(10.0, std::floor(std::log10(wanted)) - 1.0);
  return (std::floor(wanted / digit) + 2.0) * digit;  // one more, since grids begin at whole voxels
}

}  // namespace

Coverage::Coverage(const map::SurfelMap& map, const CoverageConfig& config,
                   const Eigen::Vector3d& start, double radius)
    : voxel_(config.voxel) {
  Validator("").positive("voxel", voxel_, "m");
  layGrid(map, config.box);
  markOccupied(map);
  flood(voxelsRound(start, radius));
  if (reachable_ == 0) {
    throw ConfigError("", "start of the coverage", pointText(start),
                      fmt::format("a place within {:g} m of a free voxel of {:g} m in the region",
                                  radius, voxel_));
  }
}

void Coverage::layGrid(const map::SurfelMap& map, const Eigen::AlignedBox3d& box) {
  const Eigen::AlignedBox3f bounds = map.bounds();
  const Eigen::AlignedBox3d volume = box.intersection(bounds.cast<double>());
  if (map.size() == 0 || volume.isEmpty()) {
    throw ConfigError("", "region of the coverage",
                      fmt::format("{} to {}", pointText(box.min()), pointText(box.max())),
                      "a box that meets the map's");
  }
  low_ = (volume.min() / voxel_).array().floor();
  const Eigen::Array3d high = (volume.max() / voxel_).array().floor();
  const Eigen::Array3d size = high - low_.array() + 1.0;
  if (size.prod() > static_cast<double>(kMostVoxels)) {
    throw ConfigError("", "voxel of the coverage", fmt::format("{:g}", voxel_),
                      fmt::format("{:g} m or more in so large a volume ({:.0f} million voxels are "
                                  "more than {} million)",
                                  largerVoxel(voxel_, size.prod(), kMostVoxels), size.prod() / 1e6,
                                  kMostVoxels / 1'000'000));
  }
  size_ = size.cast<int>();
  flags_.assign(static_cast<std::size_t>(size.prod()), 0);
}

void Coverage::markOccupied(const map::SurfelMap& map) {
  for (const map::Surfel& surfel : map.surfels()) {
    const Eigen::Vector3d p = inGrid(surfel.position.cast<double>());
    const Eigen::Array3i cell = p.array().floor().cast<int>();
    if (inside(cell)) flags_[indexOf(cell)] |= kOccupied;
  }
}

std::uint32_t Coverage::indexOf(const Eigen::Array3i& cell) const {
  const std::int64_t row = std::int64_t{cell.z()} * size_.y() + cell.y();
  return static_cast<std::uint32_t>(row * size_.x() + cell.x());
}

// The voxels that the ball meets.
std::vector<std::uint32_t> Coverage::voxelsRound(const Eigen::Vector3d& place,
                                                 double radius) const {
  const Eigen::Array3d middle = inGrid(place).array();
  const double reach = std::max(0.0, radius) / voxel_;
  const Eigen::Array3d last = (size_ - 1).cast<double>();
  const Eigen::Array3d low = (middle - reach).floor().max(0.0), high = (middle + reach).min(last);
  std::vector<std::uint32_t> voxels;
  for (double z = low.z(); z <= high.z(); ++z) {
    for (double y = low.y(); y <= high.y(); ++y) {
      for (double x = low.x(); x <= high.x(); ++x) {
        const Eigen::Array3d corner(x, y, z);
        const Eigen::Array3d away = (middle - middle.max(corner).min(corner + 1.0));
        if (away.matrix().norm() <= reach) voxels.push_back(indexOf(corner.cast<int>()));
      }
    }
  }
  return voxels;
}

void Coverage::flood(std::vector<std::uint32_t> frontier) {
  const auto reach = [&](std::uint32_t voxel, std::vector<std::uint32_t>& next) {
    if ((flags_[voxel] & (kOccupied | kReachable)) != 0) return;
    flags_[voxel] |= kReachable;
    ++reachable_;
    next.push_back(voxel);
  };
  std::vector<std::uint32_t> next;
  for (const std::uint32_t voxel : frontier) reach(voxel, next);
  const auto row = static_cast<std::uint32_t>(size_.x());
  const std::uint32_t layer = row * static_cast<std::uint32_t>(size_.y());
  const auto layers = static_cast<std::uint32_t>(size_.z());
  while (!next.empty()) {
    frontier.swap(next);
    next.clear();
    for (const std::uint32_t voxel : frontier) {
      const std::uint32_t x = voxel % row, y = voxel % layer / row, z = voxel / layer;
      if (x > 0) reach(voxel - 1, next);
      if (x + 1 < row) reach(voxel + 1, next);
      if (y > 0) reach(voxel - row, next);
      if (y * row + row < layer) reach(voxel + row, next);
      if (z > 0) reach(voxel - layer, next);
      if (z + 1 < layers) reach(voxel + layer, next);
    }
  }
}

void Coverage::see(std::uint32_t voxel) {
  if ((flags_[voxel] & (kReachable | kSeen)) != kReachable) return;
  flags_[voxel] |= kSeen;
  ++seen_;
}

std::vector<Eigen::Vector3d> Coverage::unseen() const {
  std::vector<Eigen::Vector3d> middles;
  for (Eigen::Array3i cell(0, 0, 0); cell.z() < size_.z(); ++cell.z()) {
    for (cell.y() = 0; cell.y() < size_.y(); ++cell.y()) {
      for (cell.x() = 0; cell.x() < size_.x(); ++cell.x()) {
        if ((flags_[indexOf(cell)] & (kReachable | kSeen)) != kReachable) continue;
        middles.emplace_back(voxel_ * (low_.array() + cell.cast<double>() + 0.5));
      }
    }
  }
  return middles;
}

// Amanatides and Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing" (Eurographics 1987), for
// the part of the segment inside the grid.
void Coverage::addRay(const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  const Eigen::Array3d way = to - from;
  double begin = 0.0, end = 1.0;
  for (int axis = 0; axis < 3; ++axis) {
    if (way[axis] == 0.0) {
      if (from[axis] < 0.0 || from[axis] >= size_[axis]) return;
      continue;
    }
    const double a = -from[axis] / way[axis], b = (size_[axis] - from[axis]) / way[axis];
    begin = std::max(begin, std::min(a, b));
    end = std::min(end, std::max(a, b));
  }
  if (begin > end) return;
  const Eigen::Array3d first = (from.array() + begin * way).floor();
  Eigen::Array3i cell = first.max(0.0).min((size_ - 1).cast<double>()).cast<int>();
  const auto borderOf = [&](int axis) {  // where the way crosses the cell's border
    if (way[axis] == 0.0) return std::numeric_limits<double>::infinity();
    return (cell[axis] + (way[axis] > 0.0 ? 1 : 0) - from[axis]) / way[axis];
  };
  Eigen::Array3d border(borderOf(0), borderOf(1), borderOf(2));
  while (true) {
    see(indexOf(cell));
    int axis = 0;
    if (border.minCoeff(&axis) >= end) return;
    cell[axis] += way[axis] > 0.0 ? 1 : -1;
    if (cell[axis] < 0 || cell[axis] >= size_[axis]) return;
    border[axis] = borderOf(axis);
  }
}

void Coverage::add(const Eigen::Vector3d& sensor, View<Eigen::Vector3f> points) {
  if (!sensor.allFinite()) return;
  const Eigen::Vector3d from = inGrid(sensor);
  for (const Eigen::Vector3f& point : points) {
    if (point.allFinite()) addRay(from, inGrid(point.cast<double>()));
  }
}

}  // namespace marsim::suite
