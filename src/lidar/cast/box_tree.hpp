// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <Eigen/Geometry>

#include "lidar/cast/plant_kernel.hpp"

namespace marsim::lidar {

/// A node without children.
inline PlantNode emptyPlantNode() {
  PlantNode node{};
  for (int axis = 0; axis < 3; ++axis) {
    std::fill_n(node.lower[axis], kPlantWidth, std::numeric_limits<float>::infinity());
    std::fill_n(node.upper[axis], kPlantWidth, -std::numeric_limits<float>::infinity());
  }
  return node;
}

inline void setPlantChild(PlantNode& node, int slot, const Eigen::AlignedBox3f& box,
                          std::uint32_t child) {
  for (int axis = 0; axis < 3; ++axis) {
    node.lower[axis][slot] = box.min()[axis];
    node.upper[axis][slot] = box.max()[axis];
  }
  node.child[slot] = child;
}

/// Appends the nodes of a tree over non-empty boxes to `nodes` and orders `items`, their numbers,
/// so that each leaf's are adjacent. Up to `leaf_size` items share a leaf; `leafOf(begin, end)` is
/// called for each leaf in order and returns its number. Returns the child code of the root. All
/// nodes but the last ones are full.
template <class LeafOf>
class BoxTreeBuilder {
 public:
  BoxTreeBuilder(const std::vector<Eigen::AlignedBox3f>& boxes, std::size_t leaf_size,
                 std::vector<PlantNode>& nodes, const LeafOf& leafOf)
      : boxes_(boxes), leaf_size_(leaf_size), nodes_(nodes), leafOf_(leafOf) {}

  std::uint32_t build(std::vector<std::uint32_t>& items) {
    items_ = &items;
    return build(0, items.size());
  }

 private:
  std::uint32_t build(std::size_t begin, std::size_t end) {
    if (end - begin <= leaf_size_) return kPlantLeaf | leafOf_(begin, end);
    std::size_t unit = leaf_size_;  // items of a full child
    while (unit * kPlantWidth < end - begin) unit *= kPlantWidth;
    std::size_t bounds[kPlantWidth + 1];
    int count = 0;
    split(begin, end, unit, bounds, count);
    bounds[count] = end;
    const auto node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(emptyPlantNode());
    for (int i = 0; i < count; ++i) {
      const std::uint32_t child = build(bounds[i], bounds[i + 1]);
      setPlantChild(nodes_[node], i, boxOf(bounds[i], bounds[i + 1]), child);
    }
    return node;
  }

  // Halves by the longest extent of the centres, in whole units, until each part is one unit.
  void split(std::size_t begin, std::size_t end, std::size_t unit, std::size_t* bounds,
             int& count) {
    const std::size_t units = (end - begin + unit - 1) / unit;
    if (units == 1) {
      bounds[count++] = begin;
      return;
    }
    Eigen::AlignedBox3f middles;
    for (std::size_t i = begin; i < end; ++i) middles.extend(boxes_[(*items_)[i]].center());
    Eigen::Index axis = 0;
    middles.sizes().maxCoeff(&axis);
    const std::size_t middle = begin + (units + 1) / 2 * unit;
    const auto at = [&](std::size_t i) { return items_->begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end), [&](std::uint32_t a, std::uint32_t b) {
      const float x = boxes_[a].center()[axis], y = boxes_[b].center()[axis];
      return x != y ? x < y : a < b;
    });
    split(begin, middle, unit, bounds, count);
    split(middle, end, unit, bounds, count);
  }

  Eigen::AlignedBox3f boxOf(std::size_t begin, std::size_t end) const {
    Eigen::AlignedBox3f box;
    for (std::size_t i = begin; i < end; ++i) box.extend(boxes_[(*items_)[i]]);
    return box;
  }

  const std::vector<Eigen::AlignedBox3f>& boxes_;
  const std::size_t leaf_size_;
  std::vector<PlantNode>& nodes_;
  const LeafOf& leafOf_;
  std::vector<std::uint32_t>* items_ = nullptr;
};

}  // namespace marsim::lidar
