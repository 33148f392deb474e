#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace marsim::map {

/// Points of a cell and the 26 around it, relative to the cell's middle [m], apart by axis.
struct CellNeighbours {
  std::vector<float> x, y, z;
  std::vector<float> weight;
  std::size_t count = 0;
};

/// Points binned into cubic cells whose side is a search radius: all within it of a point lie in
/// the 27 cells around its own. Cells are sorted by key with z running fastest.
class NeighbourCells {
 public:
  /// A lattice of cells from `corner` [m], which no coordinate is below. The points must outlive
  /// this object. Throws Error where they spread over more than two million sides.
  NeighbourCells(const std::vector<Eigen::Vector3f>& points, const std::vector<float>& weights,
                 double side, const Eigen::Vector3d& corner);

  std::size_t cells() const { return keys_.size(); }
  /// Points of a cell are order()[begin(cell)] to order()[begin(cell + 1) - 1].
  std::size_t begin(std::size_t cell) const { return begins_[cell]; }
  const std::vector<std::uint32_t>& order() const { return order_; }
  std::uint64_t key(std::size_t cell) const { return keys_[cell]; }
  /// Middle [m] of the cell of a key, be there points in it or not.
  Eigen::Vector3d middle(std::uint64_t key) const;

  /// Where each column of three cells was found for the cell before.
  using Cursors = std::array<std::size_t, 9>;
  /// The points of the cells around that of a key and in it, relative to its middle.
  void gather(std::uint64_t key, Cursors& cursors, CellNeighbours& neighbours) const;

 private:
  std::size_t lowerBound(std::uint64_t key, std::size_t cell) const;

  const std::vector<Eigen::Vector3f>& points_;
  const std::vector<float>& weights_;
  double side_;
  Eigen::Vector3d corner_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> order_;
};

}  // namespace marsim::map
