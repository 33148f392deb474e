#include "surfel_tree_builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "surfel_binary_tree.hpp"

namespace marsim::map {
namespace {

// Writes wide nodes from a binary tree and what its dynamic programme decided.
class Emitter {
 public:
  Emitter(const BinaryTree& tree, const std::vector<std::uint32_t>& sorted) : tree_(tree) {
    shape_.order.reserve(sorted.size());
    sorted_ = &sorted;
  }

  TreeShape run() {
    shape_.nodes.emplace_back();
    emit(tree_.root(), 0);
    return std::move(shape_);
  }

 private:
  struct Children {
    std::array<std::size_t, kTreeWidth> index;  // in the binary tree
    int count = 0;
  };

  // The roots of at most `width` subtrees that stand for a binary node's two sides.
  void collect(std::size_t index, int width, Children& children) const {
    const BinaryNode& node = tree_.nodes[index];
    int share = width == 1 ? 0 : node.left_share[width];
    while (width > 1 && share == 0) {  // as good with fewer
      --width;
      share = width == 1 ? 0 : node.left_share[width];
    }
    if (width == 1) {
      children.index[static_cast<std::size_t>(children.count++)] = index;
      return;
    }
    collect(tree_.leftOf(index), share, children);
    collect(tree_.rightOf(index), width - share, children);
  }

  void emit(std::size_t index, std::size_t target) {
    Children children;
    const BinaryNode& binary = tree_.nodes[index];
    if (binary.is_leaf) {  // only the root of a tiny map
      children.index[0] = index;
      children.count = 1;
    } else {
      const int share = binary.left_share[kTreeWidth];
      collect(tree_.leftOf(index), share, children);
      collect(tree_.rightOf(index), kTreeWidth - share, children);
    }
    const auto begin = children.index.begin(), end = begin + children.count;
    const auto middle =
        std::stable_partition(begin, end, [&](std::size_t i) { return !tree_.nodes[i].is_leaf; });
    const auto inner = static_cast<std::size_t>(middle - begin);

    TreeNode node = quantise(children);
    node.counts = static_cast<std::uint8_t>(inner + static_cast<std::size_t>(children.count) * 16);
    node.child_base = static_cast<std::uint32_t>(shape_.nodes.size());
    node.leaf_base = static_cast<std::uint32_t>(shape_.order.size());
    for (auto i = middle; i != end; ++i) {
      const BinaryNode& leaf = tree_.nodes[*i];
      const auto first = sorted_->begin() + leaf.begin;
      shape_.order.insert(shape_.order.end(), first, first + leaf.count);
      node.leaf_end[i - begin] = static_cast<std::uint8_t>(shape_.order.size() - node.leaf_base);
    }
    shape_.nodes[target] = node;
    shape_.nodes.resize(shape_.nodes.size() + inner);
    for (std::size_t i = 0; i < inner; ++i) emit(children.index[i], node.child_base + i);
  }

  TreeNode quantise(const Children& children) const {
    TreeNode node{};
    for (int axis = 0; axis < 3; ++axis) {
      float low = std::numeric_limits<float>::infinity(), high = -low;
      for (int c = 0; c < children.count; ++c) {
        const BinaryNode& child = tree_.nodes[children.index[static_cast<std::size_t>(c)]];
        low = std::min(low, child.box.lower[axis]);
        high = std::max(high, child.box.upper[axis]);
      }
      quantiseAxis(children, axis, low, high, node);
    }
    return node;
  }

  // The least power of two in whose multiples, 256 at most, all boxes find room.
  void quantiseAxis(const Children& children, int axis, double low, double high,
                    TreeNode& node) const {
    int exponent = std::max(std::ilogb(std::max(high - low, 1e-20)) - 8, -90);
    for (;; ++exponent) {
      const double step = std::ldexp(1.0, exponent);
      const double origin = std::floor(low / step) * step;
      const bool exact = static_cast<double>(static_cast<float>(origin)) == origin;
      if (!exact || std::ceil((high - origin) / step) > 255.0) continue;
      node.origin[axis] = static_cast<float>(origin);
      node.exponent[axis] = static_cast<std::uint8_t>(exponent + 127);
      for (int c = 0; c < kTreeWidth; ++c) {
        node.lower[axis][c] = 255;
        node.upper[axis][c] = 0;
        if (c >= children.count) continue;
        const BinaryNode& child = tree_.nodes[children.index[static_cast<std::size_t>(c)]];
        node.lower[axis][c] = static_cast<std::uint8_t>(
            std::floor((static_cast<double>(child.box.lower[axis]) - origin) / step));
        node.upper[axis][c] = static_cast<std::uint8_t>(
            std::ceil((static_cast<double>(child.box.upper[axis]) - origin) / step));
      }
      return;
    }
  }

  const BinaryTree& tree_;
  const std::vector<std::uint32_t>* sorted_;
  TreeShape shape_;
};

}  // namespace

TreeShape buildTreeShape(const SurfelMap& map, const Eigen::Vector3d& origin) {
  std::vector<std::uint32_t> sorted;
  const BinaryTree tree = buildBinaryTree(map, origin, sorted);
  return Emitter(tree, sorted).run();
}

}  // namespace marsim::map
