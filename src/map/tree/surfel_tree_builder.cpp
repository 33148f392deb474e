// SPDX-License-Identifier: BSD-3-Clause
#include "map/tree/surfel_tree_builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <tbb/parallel_for.h>

#include "map/tree/surfel_binary_tree.hpp"

namespace marsim::map {
namespace {

// Surfels of the largest treelet, a part of the tree that is built by itself. Roots of treelets are
// nodes, which costs the collapse a little freedom and saves most of a binary tree's memory.
constexpr std::size_t kTreeletSize = std::size_t{1} << 17;

using Nodes = std::vector<BinaryNode>;

// The children of a wide node.
struct Children {
  std::array<std::size_t, kTreeWidth> index;  // in the binary tree, inner nodes first
  int count = 0, inner = 0;
};

// The roots of at most `width` subtrees that replace a binary node's two sides.
void collect(const BinaryTree& tree, std::size_t index, int width, Children& children) {
  const BinaryNode& node = tree.nodes[index];
  int share = width == 1 ? 0 : node.left_share[width];
  while (width > 1 && share == 0) {  // fewer are as good
    --width;
    share = width == 1 ? 0 : node.left_share[width];
  }
  if (width == 1) {
    children.index[static_cast<std::size_t>(children.count++)] = index;
    return;
  }
  collect(tree, tree.leftOf(index), share, children);
  collect(tree, tree.rightOf(index), width - share, children);
}

Children childrenOf(const BinaryTree& tree, std::size_t index) {
  Children children;
  const BinaryNode& node = tree.nodes[index];
  if (node.is_leaf) {  // only at the root of a tiny treelet
    children.index[0] = index;
    children.count = 1;
    return children;
  }
  const int share = node.left_share[kTreeWidth];
  collect(tree, tree.leftOf(index), share, children);
  collect(tree, tree.rightOf(index), kTreeWidth - share, children);
  const auto begin = children.index.begin();
  const auto middle = std::stable_partition(begin, begin + children.count,
                                            [&](std::size_t i) { return !tree.nodes[i].is_leaf; });
  children.inner = static_cast<int>(middle - begin);
  return children;
}

// The least power of two with which all boxes fit into 256 steps.
void quantiseAxis(const BinaryTree& tree, const Children& children, int axis, double low,
                  double high, TreeNode& node) {
  int exponent = std::max(std::ilogb(std::max(high - low, 1e-20)) - 8, -90);
  for (;; ++exponent) {
    const double step = std::ldexp(1.0, exponent);
    const double origin = std::floor(low / step) * step;
    const bool exact = static_cast<double>(static_cast<float>(origin)) == origin;
    if (!exact || std::ceil((high - origin) / step) > 255.0) continue;
    node.origin[axis] = static_cast<float>(origin);
    node.exponent[axis] = static_cast<std::uint8_t>(exponent + kExponentBias);
    for (int c = 0; c < kTreeWidth; ++c) {
      node.lower[axis][c] = 255;
      node.upper[axis][c] = 0;
      if (c >= children.count) continue;
      const TreeBox& box = tree.nodes[children.index[static_cast<std::size_t>(c)]].box;
      node.lower[axis][c] = static_cast<std::uint8_t>(
          std::floor((static_cast<double>(box.lower[axis]) - origin) / step));
      node.upper[axis][c] = static_cast<std::uint8_t>(
          std::ceil((static_cast<double>(box.upper[axis]) - origin) / step));
    }
    return;
  }
}

// A wide node with its children's boxes; their numbers come later.
TreeNode quantise(const BinaryTree& tree, const Children& children) {
  TreeNode node{};
  for (int axis = 0; axis < 3; ++axis) {
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (int c = 0; c < children.count; ++c) {
      const TreeBox& box = tree.nodes[children.index[static_cast<std::size_t>(c)]].box;
      low = std::min(low, box.lower[axis]);
      high = std::max(high, box.upper[axis]);
    }
    quantiseAxis(tree, children, axis, static_cast<double>(low), static_cast<double>(high), node);
  }
  node.setCounts(children.inner, children.count);
  return node;
}

// Allots numbers to a node's inner children and writes them; returns the first.
std::size_t allot(TreeNode& node, TreeShape& shape) {
  node.child_base = static_cast<std::uint32_t>(shape.nodes.size());
  node.leaf_base = static_cast<std::uint32_t>(shape.order.size());
  shape.nodes.resize(shape.nodes.size() + static_cast<std::size_t>(node.innerCount()));
  return node.child_base;
}

// Writes a binary node as a wide node and all nodes below it, depth first.
void emit(const BinaryTree& tree, const std::vector<MortonKey>& keys, std::size_t index,
          std::size_t target, TreeShape& shape) {
  const Children children = childrenOf(tree, index);
  TreeNode node = quantise(tree, children);
  const std::size_t base = allot(node, shape);
  for (int c = children.inner; c < children.count; ++c) {
    const BinaryNode& leaf = tree.nodes[children.index[static_cast<std::size_t>(c)]];
    for (std::size_t i = leaf.begin; i < leaf.begin + leaf.count; ++i) {
      shape.order.push_back(keys[i].index);
    }
    node.leaf[c] = static_cast<std::uint8_t>(leaf.count | leaf.size << kLeafCountBits);
  }
  shape.nodes[target] = node;
  for (std::size_t c = 0; c < static_cast<std::size_t>(children.inner); ++c) {
    emit(tree, keys, children.index[c], base + c, shape);
  }
}

// A treelet; its numbers count from its own beginning.
struct Treelet {
  std::size_t begin, end;  // in the keys
  BinaryNode root{};       // as the top tree sees it
  TreeShape shape{};

  void build(const TreeInput& input, std::vector<MortonKey>& keys) {
    const BinaryTree tree = buildBinaryTree(input, keys, begin, end);
    shape.order.reserve(end - begin);
    shape.nodes.emplace_back();
    emit(tree, keys, tree.root(), 0, shape);
    root.box = tree.nodes.back().box;
    root.size = tree.nodes.back().size;
    std::fill(root.cost + 1, root.cost + kTreeWidth, tree.nodes.back().cost[1]);
  }
};

// The upper tree, whose binary leaves are treelets.
class Top {
 public:
  explicit Top(const std::vector<MortonKey>& keys) : keys_(keys) { divide(0, keys.size()); }

  std::vector<Treelet>& treelets() { return treelets_; }

  // Call it once the treelets are built.
  TreeShape join() {
    std::size_t next = 0;
    build(0, keys_.size(), next);
    shape_.order.reserve(keys_.size());
    shape_.nodes.emplace_back();
    emit(tree_.root(), 0);
    return std::move(shape_);
  }

 private:
  void divide(std::size_t begin, std::size_t end) {
    if (end - begin <= kTreeletSize) {
      treelets_.push_back({begin, end});
      return;
    }
    const std::size_t middle = splitByKeys(keys_, begin, end);
    divide(begin, middle);
    divide(middle, end);
  }

  // Appends the binary node of a range, by the same divisions as divide().
  void build(std::size_t begin, std::size_t end, std::size_t& next) {
    if (end - begin <= kTreeletSize) {
      tree_.nodes.push_back(treelets_[next].root);
      tree_.nodes.back().begin = static_cast<std::uint32_t>(next++);
      tree_.nodes.back().count = 1;
      return;
    }
    const std::size_t middle = splitByKeys(keys_, begin, end);
    build(begin, middle, next);
    const std::size_t left = tree_.nodes.size() - 1;
    build(middle, end, next);
    BinaryNode node{};
    joinBinary(tree_.nodes[left], tree_.nodes.back(), node);
    node.to_left = static_cast<std::uint32_t>(tree_.nodes.size() - left);
    tree_.nodes.push_back(node);
  }

  void emit(std::size_t index, std::size_t target) {
    if (tree_.nodes[index].count == 1) {
      place(treelets_[tree_.nodes[index].begin].shape, target);
      return;
    }
    const Children children = childrenOf(tree_, index);
    TreeNode node = quantise(tree_, children);
    const std::size_t base = allot(node, shape_);
    shape_.nodes[target] = node;
    for (std::size_t c = 0; c < static_cast<std::size_t>(children.inner); ++c) {
      emit(children.index[c], base + c);
    }
  }

  // Moves a treelet to the end: its root to `target`, its other nodes after all present ones.
  void place(TreeShape& piece, std::size_t target) {
    const auto nodes = static_cast<std::uint32_t>(shape_.nodes.size());
    const auto surfels = static_cast<std::uint32_t>(shape_.order.size());
    for (TreeNode& node : piece.nodes) {
      node.child_base += nodes - 1;  // its root moves to `target`
      node.leaf_base += surfels;
    }
    shape_.nodes[target] = piece.nodes.front();
    shape_.nodes.insert(shape_.nodes.end(), piece.nodes.begin() + 1, piece.nodes.end());
    shape_.order.insert(shape_.order.end(), piece.order.begin(), piece.order.end());
    piece = {};
  }

  const std::vector<MortonKey>& keys_;
  std::vector<Treelet> treelets_;
  BinaryTree tree_;
  TreeShape shape_;
};

}  // namespace

TreeShape buildTreeShape(const TreeInput& input) {
  std::vector<MortonKey> keys = sortedKeys(input);
  Top top(keys);
  std::vector<Treelet>& treelets = top.treelets();
  tbb::parallel_for(std::size_t{0}, treelets.size(),
                    [&](std::size_t i) { treelets[i].build(input, keys); });
  return top.join();
}

}  // namespace marsim::map
