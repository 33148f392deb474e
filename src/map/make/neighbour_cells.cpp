// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/neighbour_cells.hpp"

#include <Eigen/Geometry>

namespace marsim::map {
namespace {

constexpr double kSideSlack = 1.0 + 1e-6;  // against rounding of cell numbers

}  // namespace

Eigen::Vector3d cornerBelow(const std::vector<Eigen::Vector3f>& points) {
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& point : points) box.extend(point);
  const Eigen::Vector3d low = box.min().cast<double>();
  return low - Eigen::Vector3d::Constant(1e-3) - 1e-6 * low.cwiseAbs();
}

NeighbourCells::NeighbourCells(const std::vector<Eigen::Vector3f>& points,
                               const std::vector<float>& weights, double side,
                               const Eigen::Vector3d& corner)
    : CellGrid(points, side * kSideSlack, corner), points_(points), weights_(weights) {}

void NeighbourCells::gather(std::uint64_t key, Cursors& cursors, CellNeighbours& neighbours) const {
  const Columns columns = columnsAround(key, cursors);
  for (std::vector<float>* values :
       {&neighbours.x, &neighbours.y, &neighbours.z, &neighbours.weight}) {
    values->resize(columns.points);
  }
  neighbours.count = columns.points;
  const Eigen::Vector3d centre = middle(key);
  std::size_t next = 0;
  for (std::size_t column = 0; column < 9; ++column) {
    for (std::size_t i = columns.begin[column]; i < columns.end[column]; ++i, ++next) {
      const std::uint32_t index = order()[i];
      const Eigen::Vector3f offset = (points_[index].cast<double>() - centre).cast<float>();
      neighbours.x[next] = offset.x();
      neighbours.y[next] = offset.y();
      neighbours.z[next] = offset.z();
      neighbours.weight[next] = weights_[index];
    }
  }
}

}  // namespace marsim::map
