// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/neighbours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <unordered_map>

#include <tbb/parallel_for.h>

#include "common/nth_smallest.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map_tools {
namespace {

constexpr std::size_t kChunk = 1U << 16U;   // points
constexpr std::size_t kFilter = 1U << 24U;  // bits
constexpr double kFirst = 2.0;              // spacings; first search radius

/// Cells whose points are wanted, in a table behind a filter of bits.
class WantedCells {
 public:
  explicit WantedCells(double side) : side_(side), filter_(kFilter) {}

  Eigen::Vector3d indexOf(const Eigen::Vector3f& p) const {
    return (p.cast<double>() / side_).array().floor();
  }
  static std::uint64_t keyOf(const Eigen::Vector3d& index) {
    std::uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
      key = mixBits(key ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(index[axis])));
    }
    return key;
  }
  void want(std::uint64_t key) {
    filter_[key % kFilter] = true;
    cells_.try_emplace(key);
  }
  bool wants(std::uint64_t key) const { return filter_[key % kFilter] && cells_.count(key) == 1; }
  std::vector<Eigen::Vector3f>& at(std::uint64_t key) { return cells_.at(key); }
  const std::vector<Eigen::Vector3f>& at(std::uint64_t key) const { return cells_.at(key); }

 private:
  double side_;
  std::vector<bool> filter_;
  std::unordered_map<std::uint64_t, std::vector<Eigen::Vector3f>> cells_;
};

std::array<std::uint64_t, 27> cellsAround(const WantedCells& cells, const Eigen::Vector3f& p) {
  std::array<std::uint64_t, 27> keys{};
  const Eigen::Vector3d home = cells.indexOf(p);
  for (int i = 0; i < 27; ++i) {
    keys.at(static_cast<std::size_t>(i)) =
        WantedCells::keyOf(home + Eigen::Vector3d(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1));
  }
  return keys;
}

// Spacing of the points if they were even on one plane as wide as most of them: never far above the
// true one.
double leastSpacing(const std::vector<Eigen::Vector3f>& points,
                    const std::vector<std::size_t>& queries) {
  std::array<double, 3> widths{};
  std::vector<double> values(queries.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      values[i] = static_cast<double>(points[queries[i]][static_cast<int>(axis)]);
    }
    const double low = nthSmallest(values, values.size() / 50);
    widths.at(axis) = nthSmallest(values, values.size() - 1 - values.size() / 50) - low;
  }
  std::sort(widths.begin(), widths.end());
  const auto count = static_cast<double>(points.size());
  return std::max({std::sqrt(widths[1] * widths[2] / count), widths[2] / count, 1e-6});
}

void gather(const std::vector<Eigen::Vector3f>& points, WantedCells& cells) {
  std::vector<std::vector<std::size_t>> found((points.size() + kChunk - 1) / kChunk);
  tbb::parallel_for(std::size_t{0}, found.size(), [&](std::size_t chunk) {
    const std::size_t end = std::min((chunk + 1) * kChunk, points.size());
    for (std::size_t i = chunk * kChunk; i < end; ++i) {
      if (cells.wants(WantedCells::keyOf(cells.indexOf(points[i])))) found[chunk].push_back(i);
    }
  });
  for (const std::vector<std::size_t>& chunk : found) {
    for (const std::size_t i : chunk) {
      cells.at(WantedCells::keyOf(cells.indexOf(points[i]))).push_back(points[i]);
    }
  }
}

// The nearest points within `radius` in the cells around one.
std::vector<Eigen::Vector3f> nearestIn(const WantedCells& cells, const Eigen::Vector3f& p,
                                       std::size_t count, float radius) {
  std::vector<Eigen::Vector3f> near;
  for (const std::uint64_t key : cellsAround(cells, p)) {
    for (const Eigen::Vector3f& q : cells.at(key)) {
      if ((q - p).squaredNorm() <= radius * radius) near.push_back(q);
    }
  }
  std::sort(near.begin(), near.end(), [&](const Eigen::Vector3f& a, const Eigen::Vector3f& b) {
    const float to_a = (a - p).squaredNorm(), to_b = (b - p).squaredNorm();
    return std::tie(to_a, a.x(), a.y(), a.z()) < std::tie(to_b, b.x(), b.y(), b.z());
  });
  near.erase(std::unique(near.begin(), near.end()), near.end());
  near.resize(std::min(count, near.size()));
  return near;
}

}  // namespace

std::vector<std::vector<Eigen::Vector3f>> nearestPoints(const std::vector<Eigen::Vector3f>& points,
                                                        const std::vector<std::size_t>& queries,
                                                        std::size_t count, double farthest) {
  std::vector<std::vector<Eigen::Vector3f>> result(queries.size());
  if (queries.empty()) return result;
  std::vector<std::size_t> left(queries.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  double radius = kFirst * leastSpacing(points, queries);
  for (bool last = false; !left.empty() && !last; radius *= 2.0) {
    last = radius >= farthest;
    radius = std::min(radius, farthest);
    WantedCells cells(radius);
    for (const std::size_t i : left) {
      for (const std::uint64_t key : cellsAround(cells, points[queries[i]])) cells.want(key);
    }
    gather(points, cells);
    const WantedCells& full = cells;
    tbb::parallel_for(std::size_t{0}, left.size(), [&](std::size_t i) {
      result[left[i]] =
          nearestIn(full, points[queries[left[i]]], count, static_cast<float>(radius));
    });
    left.erase(std::remove_if(left.begin(), left.end(),
                              [&](std::size_t i) { return result[i].size() >= count; }),
               left.end());
  }
  return result;
}

}  // namespace marsim::map_tools
