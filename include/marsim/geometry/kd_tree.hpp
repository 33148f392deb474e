// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <Eigen/Core>

namespace marsim {

/// Nearest-neighbour queries over a fixed set of points (nanoflann behind it). Points are in metres
/// in any one frame. Queries may run from several threads at once.
class KdTree {
 public:
  struct Neighbour {
    std::uint32_t index;  ///< into points()
    float distance;       ///< [m]
  };

  /// Takes the points over; they must be finite.
  explicit KdTree(std::vector<Eigen::Vector3f> points);
  ~KdTree();
  KdTree(KdTree&&) noexcept;
  KdTree& operator=(KdTree&&) noexcept;

  /// The nearest point; distance is infinite where the tree is empty.
  Neighbour nearest(const Eigen::Vector3f& query) const;
  /// The nearest `count` points, nearest first; fewer where the tree has fewer.
  std::vector<Neighbour> nearest(const Eigen::Vector3f& query, std::size_t count) const;
  /// Every point within `radius` [m], nearest first.
  std::vector<Neighbour> within(const Eigen::Vector3f& query, float radius) const;

  const std::vector<Eigen::Vector3f>& points() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace marsim
