// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace marsim::map {

/// Points binned into cubic cells whose side is a search radius, so that a point's neighbours lie
/// in the 27 cells around its own. Cells are sorted by key with z running fastest: three cells
/// above each other follow one another in the list.
class CellGrid {
 public:
  /// A lattice of cells of side `side` [m] from `corner` [m], a lower bound of all coordinates.
  /// Runs on all cores. Throws Error where the points spread over more than two million sides.
  CellGrid(const std::vector<Eigen::Vector3f>& points, double side, const Eigen::Vector3d& corner);

  std::size_t cells() const { return keys_.size(); }
  std::uint64_t key(std::size_t cell) const { return keys_[cell]; }
  /// Points of a cell are order()[begin(cell)] to order()[begin(cell + 1) - 1].
  std::size_t begin(std::size_t cell) const { return begins_[cell]; }
  const std::vector<std::uint32_t>& order() const { return order_; }
  /// Middle [m] of the cell of a key, with or without points.
  Eigen::Vector3d middle(std::uint64_t key) const;

  /// Positions of the previous cell's columns of three cells.
  using Cursors = std::array<std::size_t, 9>;
  /// The 27 cells around a key's cell, as nine ranges of order().
  struct Columns {
    std::array<std::size_t, 9> begin, end;
    std::size_t points = 0;  ///< in all of them
  };
  Columns columnsAround(std::uint64_t key, Cursors& cursors) const;

 private:
  /// First cell from `cell` on whose key is not below `key`.
  std::size_t lowerBound(std::uint64_t key, std::size_t cell) const;

  double side_;
  Eigen::Vector3d corner_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> order_;
};

}  // namespace marsim::map
