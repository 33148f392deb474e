// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <Eigen/Geometry>

#include "map/tree/leaf_storage.hpp"
#include "marsim/map/surfel.hpp"

namespace marsim::map {

/// The input of building a tree.
struct TreeInput {
  const std::vector<Surfel>& surfels;
  const std::vector<std::uint8_t>& sizes;  ///< empty: all usual
  float radius, planar_threshold;          ///< [m]
  Eigen::AlignedBox3f bounds;              ///< of the positions [m] in W
  Eigen::Vector3d origin;                  ///< [m] in W, origin of the tree's coordinates

  bool isPlanar(const Surfel& surfel) const { return surfel.thickness < planar_threshold; }
  std::uint8_t sizeOf(std::size_t i) const { return sizes.empty() ? kUsualSize : sizes[i]; }
};

struct TreeBox {
  float lower[3], upper[3];  ///< [m]

  static TreeBox none() {
    constexpr float kMost = std::numeric_limits<float>::infinity();
    return {{kMost, kMost, kMost}, {-kMost, -kMost, -kMost}};
  }
  void grow(const TreeBox& box) {
    for (int axis = 0; axis < 3; ++axis) {
      lower[axis] = box.lower[axis] < lower[axis] ? box.lower[axis] : lower[axis];
      upper[axis] = box.upper[axis] > upper[axis] ? box.upper[axis] : upper[axis];
    }
  }
  float halfArea() const {
    const float x = upper[0] - lower[0], y = upper[1] - lower[1], z = upper[2] - lower[2];
    return x * y + y * z + z * x;
  }
  float longestSide() const {
    return std::max(std::max(upper[0] - lower[0], upper[1] - lower[1]), upper[2] - lower[2]);
  }
};

constexpr std::uint8_t kMixed = 255;  ///< surfels of several sizes

/// A node of a binary tree, with the best wide tree below it: of w roots left_share[w] go to its
/// left child; 0: w roots are no better than w - 1.
struct BinaryNode {
  TreeBox box;
  std::uint32_t begin, count;  ///< its surfels in sorted order; its treelet for a top node
  std::uint32_t to_left;       ///< steps back to its left child; the right one is the node before
  float cost[kTreeWidth];      ///< [w]: least expected cost with up to w roots; 0 is unused
  std::uint8_t left_share[kTreeWidth + 1];
  bool is_leaf;       ///< as a single root it is a leaf
  std::uint8_t size;  ///< class of its surfels; kMixed
};

/// Nodes with children before parents.
struct BinaryTree {
  std::vector<BinaryNode> nodes;

  std::size_t root() const { return nodes.size() - 1; }
  std::size_t leftOf(std::size_t node) const { return node - nodes[node].to_left; }
  static std::size_t rightOf(std::size_t node) { return node - 1; }
};

/// A surfel's place along the Morton curve. Equal codes keep the surfels' order.
struct MortonKey {
  std::uint64_t code;
  std::uint32_t index;

  bool operator<(const MortonKey& other) const {
    return code != other.code ? code < other.code : index < other.index;
  }
};

/// The keys of all surfels in rising order.
std::vector<MortonKey> sortedKeys(const TreeInput& input);

/// Where the highest differing bit in a range of keys changes; equal keys are halved.
std::size_t splitByKeys(const std::vector<MortonKey>& keys, std::size_t begin, std::size_t end);

/// Gives a node the box of its children and the best tree below it.
void joinBinary(const BinaryNode& left, const BinaryNode& right, BinaryNode& node);

/// The tree over a range of keys; reorders their indices as the tree's leaves hold them.
BinaryTree buildBinaryTree(const TreeInput& input, std::vector<MortonKey>& keys, std::size_t begin,
                           std::size_t end);

}  // namespace marsim::map
