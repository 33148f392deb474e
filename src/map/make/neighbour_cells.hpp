// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "map/make/cell_grid.hpp"

namespace marsim::map {

/// Points of a cell and the 26 around it, relative to the cell's middle [m], one array per axis.
struct CellNeighbours {
  std::vector<float> x, y, z;
  std::vector<float> weight;
  std::size_t count = 0;
};

/// A corner below all points, and below any mean of points, however it is rounded.
Eigen::Vector3d cornerBelow(const std::vector<Eigen::Vector3f>& points);

/// A grid that hands over the neighbours' coordinates. The points must outlive it.
class NeighbourCells : public CellGrid {
 public:
  /// As CellGrid; the 27 cells around a point's own hold all points within `side` of it.
  NeighbourCells(const std::vector<Eigen::Vector3f>& points, const std::vector<float>& weights,
                 double side, const Eigen::Vector3d& corner);

  /// The points of the 27 cells around a key's cell, relative to its middle.
  void gather(std::uint64_t key, Cursors& cursors, CellNeighbours& neighbours) const;

 private:
  const std::vector<Eigen::Vector3f>& points_;
  const std::vector<float>& weights_;
};

}  // namespace marsim::map
