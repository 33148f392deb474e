// SPDX-License-Identifier: BSD-3-Clause
#include "map/tree/surfel_binary_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_sort.h>

#include "map/tree/morton.hpp"

namespace marsim::map {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kSweepSize = 64;        // ranges up to this are split by surface area
constexpr std::size_t kSmallest = 4;          // ranges up to this are not split
constexpr std::size_t kParallelSize = 16384;  // larger ranges build their sides in parallel
// [R] Longer leaves waste bits of their positions.
constexpr float kMaxLeafSide = 16.0F;
// Costs of a step of a traversal, relative to the test of a node's eight boxes.
constexpr float kLeafCost = 0.3F, kBlockCost = 0.7F;
constexpr std::size_t kBlock = 8;  // surfels a test

// A single root may be better than several.
void dropUseless(BinaryNode& node) {
  for (int width = 2; width < kTreeWidth; ++width) {
    if (node.cost[width] < node.cost[width - 1]) continue;
    node.cost[width] = node.cost[width - 1];
    node.left_share[width] = 0;
  }
}

class Builder {
 public:
  Builder(const TreeInput& input, std::vector<MortonKey>& keys) : input_(input), keys_(keys) {}

  BinaryTree run(std::size_t begin, std::size_t end) {
    BinaryTree tree;
    build(begin, end, tree.nodes);
    return tree;
  }

 private:
  using Nodes = std::vector<BinaryNode>;

  // Appends the tree of a range of keys, its root last.
  void build(std::size_t begin, std::size_t end, Nodes& nodes) {
    if (end - begin <= kSweepSize) {
      Sweep(*this, begin, end).run(nodes);
      return;
    }
    const std::size_t middle = splitByKeys(keys_, begin, end);
    std::size_t left = 0;
    if (end - begin < kParallelSize) {
      build(begin, middle, nodes);
      left = nodes.size() - 1;
      build(middle, end, nodes);
    } else {
      Nodes lefts, rights;
      tbb::parallel_invoke([&] { build(begin, middle, lefts); },
                           [&] { build(middle, end, rights); });
      nodes.insert(nodes.end(), lefts.begin(), lefts.end());
      left = nodes.size() - 1;
      nodes.insert(nodes.end(), rights.begin(), rights.end());
    }
    join(left, nodes);
  }

  // The box in which rays can meet a surfel, with some margin.
  TreeBox boxOf(std::uint32_t index) const {
    const Surfel& surfel = input_.surfels[index];
    const auto radius = static_cast<double>(input_.radius * kSizeFactors[input_.sizeOf(index)]);
    const double margin = static_cast<double>(input_.radius) * static_cast<double>(kBoxMargin);
    const Eigen::Vector3d p = surfel.position.cast<double>() - input_.origin;
    const Eigen::Vector3d n = surfel.normal.cast<double>();
    const bool planar = input_.isPlanar(surfel);
    TreeBox box{};
    for (int axis = 0; axis < 3; ++axis) {
      const double share =
          planar ? std::sqrt(std::max(0.0, 1.0 - n[axis] * n[axis] / n.squaredNorm())) : 1.0;
      const double half = radius * share + margin;
      box.lower[axis] = std::nextafter(static_cast<float>(p[axis] - half), -kInfinity);
      box.upper[axis] = std::nextafter(static_cast<float>(p[axis] + half), kInfinity);
    }
    return box;
  }

  bool mayBeLeaf(const BinaryNode& node) const {
    if (node.count == 1) return true;
    if (node.size == kMixed || node.count > static_cast<std::uint32_t>(kMaxLeafSize)) return false;
    const float radius = input_.radius * std::min(kSizeFactors[node.size], 1.0F);
    return node.box.longestSide() <= kMaxLeafSide * radius;
  }

  static float leafCost(const BinaryNode& node) {
    const auto blocks = static_cast<float>((node.count + kBlock - 1) / kBlock);
    return node.box.halfArea() * (kLeafCost + kBlockCost * blocks);
  }

  // Appends the parent of node `left` and of the last node.
  void join(std::size_t left, Nodes& nodes) const {
    BinaryNode node{};
    joinBinary(nodes[left], nodes.back(), node);
    node.begin = nodes[left].begin;
    node.count = nodes[left].count + nodes.back().count;
    node.to_left = static_cast<std::uint32_t>(nodes.size() - left);
    if (mayBeLeaf(node) && leafCost(node) <= node.cost[1]) {
      node.is_leaf = true;
      node.cost[1] = leafCost(node);
      dropUseless(node);
    }
    nodes.push_back(node);
  }

  // Splits a short range by surface area: the surfels sorted once along each axis.
  class Sweep {
   public:
    Sweep(const Builder& builder, std::size_t begin, std::size_t end)
        : builder_(builder), begin_(begin), count_(end - begin) {
      for (std::size_t i = 0; i < count_; ++i) {
        index_[i] = builder.keys_[begin + i].index;
        boxes_[i] = builder.boxOf(index_[i]);
        sizes_[i] = builder.input_.sizeOf(index_[i]);
      }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        Row& row = rows_[axis];
        std::iota(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(count_), 0);
        std::sort(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(count_),
                  [&](std::uint8_t a, std::uint8_t b) {
                    const float ca = boxes_[a].lower[axis] + boxes_[a].upper[axis];
                    const float cb = boxes_[b].lower[axis] + boxes_[b].upper[axis];
                    return ca < cb || (ca == cb && a < b);
                  });
      }
    }

    void run(Nodes& nodes) { build(0, count_, nodes); }

   private:
    using Row = std::array<std::uint8_t, kSweepSize>;

    void build(std::size_t begin, std::size_t end, Nodes& nodes) {
      TreeBox box = TreeBox::none();
      for (std::size_t i = begin; i < end; ++i) box.grow(boxes_[rows_[0][i]]);
      BinaryNode leaf{};
      leaf.box = box;
      leaf.begin = static_cast<std::uint32_t>(begin_ + begin);
      leaf.count = static_cast<std::uint32_t>(end - begin);
      leaf.size = sizeOf(begin, end);
      if (end - begin <= kSmallest && builder_.mayBeLeaf(leaf)) {
        leaf.is_leaf = true;
        for (int width = 1; width < kTreeWidth; ++width) leaf.cost[width] = leafCost(leaf);
        for (std::size_t i = begin; i < end; ++i) {
          builder_.keys_[begin_ + i].index = index_[rows_[0][i]];
        }
        nodes.push_back(leaf);
        return;
      }
      const bool by_size = leaf.size == kMixed && leaf.count <= kMaxLeafSize;
      const std::size_t middle = by_size ? splitBySize(begin, end) : split(begin, end);
      build(begin, middle, nodes);
      const std::size_t left = nodes.size() - 1;
      build(middle, end, nodes);
      builder_.join(left, nodes);
    }

    // The cut of least area times count.
    std::size_t split(std::size_t begin, std::size_t end) {
      float best = kInfinity;
      std::size_t best_axis = 0, middle = begin + (end - begin) / 2;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        std::array<float, kSweepSize> right{};
        TreeBox box = TreeBox::none();
        for (std::size_t i = end; i-- > begin + 1;) {
          box.grow(boxes_[rows_[axis][i]]);
          right[i] = box.halfArea() * static_cast<float>(end - i);
        }
        box = TreeBox::none();
        for (std::size_t i = begin + 1; i < end; ++i) {
          box.grow(boxes_[rows_[axis][i - 1]]);
          const float cost = box.halfArea() * static_cast<float>(i - begin) + right[i];
          if (cost >= best) continue;
          best = cost;
          best_axis = axis;
          middle = i;
        }
      }
      std::array<bool, kSweepSize> on_left{};
      for (std::size_t i = begin; i < middle; ++i) on_left[rows_[best_axis][i]] = true;
      partition(begin, end, [&](std::uint8_t i) { return on_left[i]; });
      return middle;
    }

    // The largest surfels first.
    std::size_t splitBySize(std::size_t begin, std::size_t end) {
      std::uint8_t largest = kMixed;
      for (std::size_t i = begin; i < end; ++i) {
        largest = std::min(largest, sizes_[rows_[0][i]]);
      }
      const auto is_largest = [&](std::uint8_t i) { return sizes_[i] == largest; };
      partition(begin, end, is_largest);
      std::size_t middle = begin;
      while (is_largest(rows_[0][middle])) ++middle;
      return middle;
    }

    // Reorders the rows: surfels of the left side first.
    template <class IsLeft>
    void partition(std::size_t begin, std::size_t end, const IsLeft& isLeft) {
      for (Row& row : rows_) {
        std::stable_partition(row.begin() + static_cast<std::ptrdiff_t>(begin),
                              row.begin() + static_cast<std::ptrdiff_t>(end), isLeft);
      }
    }

    std::uint8_t sizeOf(std::size_t begin, std::size_t end) const {
      const std::uint8_t first = sizes_[rows_[0][begin]];
      for (std::size_t i = begin + 1; i < end; ++i) {
        if (sizes_[rows_[0][i]] != first) return kMixed;
      }
      return first;
    }

    const Builder& builder_;
    const std::size_t begin_, count_;
    std::array<std::uint32_t, kSweepSize> index_;
    std::array<TreeBox, kSweepSize> boxes_;
    std::array<std::uint8_t, kSweepSize> sizes_;
    std::array<Row, 3> rows_;
  };

  const TreeInput& input_;
  std::vector<MortonKey>& keys_;
};

}  // namespace

std::vector<MortonKey> sortedKeys(const TreeInput& input) {
  const Eigen::Vector3d low = input.bounds.min().cast<double>();
  const double side = input.bounds.max().cast<double>().operator-(low).maxCoeff();
  const double scale = side > 0.0 ? 2097151.0 / side : 0.0;
  std::vector<MortonKey> keys(input.surfels.size());
  tbb::parallel_for(std::size_t{0}, keys.size(), [&](std::size_t i) {
    const Eigen::Vector3d cell = (input.surfels[i].position.cast<double>() - low) * scale;
    keys[i] = {spreadBits(static_cast<std::uint64_t>(cell.x())) |
                   spreadBits(static_cast<std::uint64_t>(cell.y())) << 1 |
                   spreadBits(static_cast<std::uint64_t>(cell.z())) << 2,
               static_cast<std::uint32_t>(i)};
  });
  tbb::parallel_sort(keys.begin(), keys.end());
  return keys;
}

std::size_t splitByKeys(const std::vector<MortonKey>& keys, std::size_t begin, std::size_t end) {
  const std::uint64_t first = keys[begin].code, last = keys[end - 1].code;
  if (first == last) return begin + (end - begin) / 2;
  const int bit = 63 - __builtin_clzll(first ^ last);
  const std::uint64_t start = last >> bit << bit;
  const auto at = [&](std::size_t i) { return keys.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto middle =
      std::lower_bound(at(begin), at(end), start,
                       [](const MortonKey& key, std::uint64_t code) { return key.code < code; });
  return static_cast<std::size_t>(middle - keys.begin());
}

void joinBinary(const BinaryNode& left, const BinaryNode& right, BinaryNode& node) {
  node.box = left.box;
  node.box.grow(right.box);
  node.size = left.size == right.size ? left.size : kMixed;
  for (int width = 2; width <= kTreeWidth; ++width) {
    float best = width == 2 ? kInfinity : node.cost[width - 1];
    // The whole width belongs to the node itself: it has at least two children at any cost.
    if (width == kTreeWidth) best = kInfinity;
    for (int share = 1; share < width; ++share) {
      const float cost = left.cost[share] + right.cost[width - share];
      if (cost >= best) continue;
      best = cost;
      node.left_share[width] = static_cast<std::uint8_t>(share);
    }
    if (width < kTreeWidth) {
      node.cost[width] = best;
    } else {
      node.cost[1] = best + node.box.halfArea();
    }
  }
  dropUseless(node);
}

BinaryTree buildBinaryTree(const TreeInput& input, std::vector<MortonKey>& keys, std::size_t begin,
                           std::size_t end) {
  return Builder(input, keys).run(begin, end);
}

}  // namespace marsim::map
