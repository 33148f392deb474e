// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Geometry>

#include "map_tools/sources.hpp"

namespace marsim::map_tools {

/// A triangle, or a part of a larger one, and places on it.
struct Triangle {
  std::array<Eigen::Vector3d, 3> corners;
  std::array<bool, 3> rim{true, true, true};  ///< side from corner i to i + 1 is a mesh's edge
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< unit
  double area = 0.0;

  Triangle() = default;
  explicit Triangle(const std::array<Eigen::Vector3d, 3>& places);
  /// Place at (u, v) of the parallelogram; both of its halves are folded onto the triangle.
  Eigen::Vector3d place(double u, double v) const;
};

/// Names a piece of a triangle by its halvings of the longest edge, a bit each behind a leading
/// one, so that pieces need not be stored.
struct Piece {
  std::uint64_t block;     ///< 21 bits an axis
  std::uint32_t triangle;  ///< of the mesh
  std::uint32_t path;

  bool operator<(const Piece& other) const;
};

/// A mesh cut into pieces with edges no longer than half a block's side, each in the block that
/// holds its middle. No point of a piece is then farther than a third of a side from its block.
class MeshPieces {
 public:
  /// `side` [m] of a block. Keeps a reference to the mesh.
  MeshPieces(const Mesh& mesh, const Eigen::Vector3d& origin, double side);

  /// Sorted by block.
  const std::vector<Piece>& pieces() const { return pieces_; }
  Triangle triangleOf(const Piece& piece) const;

  /// Pieces of one block.
  struct Block {
    std::uint64_t key;
    std::size_t begin, end;  ///< in pieces()
  };
  const std::vector<Block>& blocks() const { return blocks_; }
  /// The number of the block at an offset from another; blocks().size() if there is none.
  std::size_t neighbour(const Block& block, const Eigen::Vector3i& offset) const;
  /// Blocks of one group do not touch: 0 to 7.
  static int groupOf(const Block& block);
  /// [m] the corner of a block with the lowest coordinates.
  Eigen::Vector3d cornerOf(const Block& block) const;

 private:
  void cut(std::uint32_t triangle, const Triangle& part, std::uint32_t path);

  const Mesh& mesh_;
  Eigen::Vector3d origin_;
  double side_;
  std::vector<Piece> pieces_;
  std::vector<Block> blocks_;
};

}  // namespace marsim::map_tools
