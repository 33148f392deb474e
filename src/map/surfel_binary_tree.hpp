#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "marsim/map/surfel_map.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

namespace marsim::map {

struct TreeBox {
  float lower[3], upper[3];  ///< [m]

  static TreeBox none();
  void grow(const TreeBox& box);
  float halfArea() const;
  float longestSide() const;
};

/// A node of the binary tree, with what stands below it at best: `left_share[w]` of w roots go to
/// its left child, 0: nothing is gained over w - 1 roots.
struct BinaryNode {
  TreeBox box;
  std::uint32_t begin, count;  ///< its surfels in sorted order
  std::uint32_t to_left;       ///< steps back to its left child; the right one is the node before
  float cost[kTreeWidth];      ///< [w]: least expected cost as up to w roots; 0 is unused
  std::uint8_t left_share[kTreeWidth + 1];
  bool is_leaf;  ///< as one root it is a leaf
};

/// Children before parents.
struct BinaryTree {
  std::vector<BinaryNode> nodes;

  std::size_t root() const { return nodes.size() - 1; }
  std::size_t leftOf(std::size_t node) const { return node - nodes[node].to_left; }
  static std::size_t rightOf(std::size_t node) { return node - 1; }
};

/// Sorts the map's surfels (`sorted`: their indices) and builds the tree over them, in coordinates
/// relative to `origin` [m].
BinaryTree buildBinaryTree(const SurfelMap& map, const Eigen::Vector3d& origin,
                           std::vector<std::uint32_t>& sorted);

}  // namespace marsim::map
