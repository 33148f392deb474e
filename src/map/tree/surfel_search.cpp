// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/map/surfel_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "map/tree/surfel_codec.hpp"

namespace marsim::map {
namespace {

using Lanes = std::array<float, kTreeWidth>;

/// Boxes hold their surfels with a margin (kBoxMargin); this covers the relative rounding of their
/// distances, about 1e-7.
constexpr float kSlack = 1.0F - 1e-5F;

// Lower bounds of the squared distances from a place to the boxes of the children; undefined for
// empty slots. The place is first taken relative to the node, in double precision.
Lanes squaredDistances(const TreeNode& node, const Eigen::Vector3d& p_O) {
  Lanes squared{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto place = static_cast<float>(p_O[axis] - static_cast<double>(node.origin[axis]));
    const auto step = gridStep<float>(node, axis);
    const std::uint8_t* lower = node.lower[axis];
    const std::uint8_t* upper = node.upper[axis];
    for (std::size_t slot = 0; slot < kTreeWidth; ++slot) {
      const float below = step * static_cast<float>(lower[slot]) - place;
      const float above = place - step * static_cast<float>(upper[slot]);
      const float outside = std::max(std::max(below, above), 0.0F);
      squared[slot] += outside * outside;
    }
  }
  for (float& value : squared) value *= kSlack;
  return squared;
}

FoundSurfel foundSurfel(const StoredLeaf& leaf, std::uint32_t i, const StoredSurfel& stored) {
  return {leaf.first + i, stored.planar, leaf.size, stored.position.cast<float>(),
          stored.normal.cast<float>()};
}

// Visits the stored surfels of a leaf child: visit(leaf, number in the leaf, surfel).
template <class Visit>
void visitLeaf(const SurfelTreeView& view, const TreeNode& node, int slot, const Visit& visit) {
  const StoredLeaf leaf(node, slot);
  const std::uint32_t* words = leaf.wordsIn(view);
  const LeafFrame<double> frame(node, slot);
  for (std::uint32_t i = 0; i < leaf.count; ++i) {
    visit(leaf, i, readSurfel(frame, words, i, leaf.count));
  }
}

/// Nodes still to be searched: kMaxTreeDepth levels leave at most seven siblings each.
class NodeStack {
 public:
  struct Entry {
    std::uint32_t node;
    float squared;  ///< distance
  };
  void push(std::uint32_t node, float squared) { entries_[size_++] = {node, squared}; }
  /// Sorts the entries from `base` on, so that the nearest is popped first.
  void pushBehindNearer(std::size_t base, std::uint32_t node, float squared) {
    std::size_t place = size_++;
    for (; place > base && entries_[place - 1].squared < squared; --place) {
      entries_[place] = entries_[place - 1];
    }
    entries_[place] = {node, squared};
  }
  Entry pop() { return entries_[--size_]; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

 private:
  std::array<Entry, kMaxTreeDepth*(kTreeWidth - 1) + 1> entries_;
  std::size_t size_ = 0;
};

// Positions in the single precision that the map's users see.
double squaredDistance(const StoredSurfel& stored, const Eigen::Vector3d& p_O) {
  return (stored.position.cast<float>().cast<double>() - p_O).squaredNorm();
}

}  // namespace

void surfelsWithin(const SurfelTreeView& view, const Eigen::Vector3d& p_O, double radius,
                   std::vector<FoundSurfel>& found) {
  if (view.header.node_count == 0 || !(radius >= 0.0)) return;
  const double radius2 = radius * radius;
  NodeStack stack;
  stack.push(0, 0.0F);
  while (!stack.empty()) {
    const TreeNode& node = view.nodes[stack.pop().node];
    const Lanes squared = squaredDistances(node, p_O);
    const int inner = node.innerCount(), children = node.childCount();
    for (int slot = inner; slot < children; ++slot) {
      if (static_cast<double>(squared[static_cast<std::size_t>(slot)]) > radius2) continue;
      visitLeaf(view, node, slot,
                [&](const auto& leaf, std::uint32_t i, const StoredSurfel& stored) {
                  if (squaredDistance(stored, p_O) <= radius2)
                    found.push_back(foundSurfel(leaf, i, stored));
                });
    }
    for (int slot = inner; slot-- > 0;) {
      const float distance = squared[static_cast<std::size_t>(slot)];
      if (static_cast<double>(distance) <= radius2) {
        stack.push(node.child_base + static_cast<std::uint32_t>(slot), distance);
      }
    }
  }
}

namespace {

// A box in another frame, for tests of balls and points.
class TurnedBox {
 public:
  TurnedBox(const Pose& X_OB, const Eigen::AlignedBox3d& box_B)
      : R_BO_(X_OB.q.conjugate().toRotationMatrix()),
        p_BO_(-(R_BO_ * X_OB.p)),
        middle_(box_B.center()),
        half_(0.5 * box_B.sizes()) {}

  bool contains(const Eigen::Vector3d& p_O) const { return (offset(p_O) <= half_).all(); }
  bool meetsBall(const Eigen::Vector3d& p_O, double radius) const {
    return (offset(p_O) - half_).max(0.0).matrix().squaredNorm() <= radius * radius;
  }

 private:
  Eigen::Array3d offset(const Eigen::Vector3d& p_O) const {
    return (p_BO_ + R_BO_ * p_O - middle_).array().abs();
  }
  Eigen::Matrix3d R_BO_;
  Eigen::Vector3d p_BO_, middle_;
  Eigen::Array3d half_;
};

// Whether a child's box may meet a turned one, by its bounding sphere: the box has a margin of
// kBoxMargin R, far more than the rounding here.
bool mayMeet(const TreeNode& node, int slot, const TurnedBox& box) {
  Eigen::Vector3d lower, upper;
  for (int axis = 0; axis < 3; ++axis) {
    const auto step = gridStep<double>(node, axis);
    const auto origin = static_cast<double>(node.origin[axis]);
    lower[axis] = origin + step * node.lower[axis][slot];
    upper[axis] = origin + step * node.upper[axis][slot];
  }
  return box.meetsBall(0.5 * (lower + upper), 0.5 * (upper - lower).norm());
}

}  // namespace

void surfelsInBox(const SurfelTreeView& view, const Pose& X_OB, const Eigen::AlignedBox3d& box_B,
                  std::vector<FoundSurfel>& found) {
  if (view.header.node_count == 0) return;
  const TurnedBox box(X_OB, box_B);
  NodeStack stack;
  stack.push(0, 0.0F);
  while (!stack.empty()) {
    const TreeNode& node = view.nodes[stack.pop().node];
    for (int slot = 0; slot < node.childCount(); ++slot) {
      if (!mayMeet(node, slot, box)) continue;
      if (slot < node.innerCount()) {
        stack.push(node.child_base + static_cast<std::uint32_t>(slot), 0.0F);
        continue;
      }
      visitLeaf(view, node, slot,
                [&](const auto& leaf, std::uint32_t i, const StoredSurfel& stored) {
                  if (box.contains(stored.position.cast<float>().cast<double>())) {
                    found.push_back(foundSurfel(leaf, i, stored));
                  }
                });
    }
  }
}

double nearestSurfel(const SurfelTreeView& view, const Eigen::Vector3d& p_O, double limit,
                     FoundSurfel& nearest) {
  if (view.header.node_count == 0) return limit;
  double best = limit * limit;
  NodeStack stack;
  stack.push(0, 0.0F);
  while (!stack.empty()) {
    const NodeStack::Entry entry = stack.pop();
    if (static_cast<double>(entry.squared) >= best) continue;
    const TreeNode& node = view.nodes[entry.node];
    const Lanes squared = squaredDistances(node, p_O);
    const int inner = node.innerCount(), children = node.childCount();
    const std::size_t base = stack.size();
    for (int slot = 0; slot < children; ++slot) {
      const float distance = squared[static_cast<std::size_t>(slot)];
      if (static_cast<double>(distance) >= best) continue;
      if (slot < inner) {
        stack.pushBehindNearer(base, node.child_base + static_cast<std::uint32_t>(slot), distance);
        continue;
      }
      visitLeaf(view, node, slot,
                [&](const auto& leaf, std::uint32_t i, const StoredSurfel& stored) {
                  const double here = squaredDistance(stored, p_O);
                  if (here >= best) return;
                  best = here;
                  nearest = foundSurfel(leaf, i, stored);
                });
    }
  }
  return std::min(std::sqrt(best), limit);
}

// Numbers are depth first: a node's own leaves, then each child's subtree.
FoundSurfel surfelOf(const SurfelTreeView& view, std::uint32_t number) {
  const TreeNode* node = view.nodes;
  while (number - node->leaf_base >= surfelsOf(*node)) {
    int slot = node->innerCount() - 1;
    while (view.nodes[node->child_base + static_cast<std::uint32_t>(slot)].leaf_base > number) {
      --slot;
    }
    node = &view.nodes[node->child_base + static_cast<std::uint32_t>(slot)];
  }
  int slot = node->innerCount();
  while (StoredLeaf(*node, slot).first + StoredLeaf(*node, slot).count <= number) ++slot;
  const StoredLeaf leaf(*node, slot);
  const std::uint32_t i = number - leaf.first;
  return foundSurfel(leaf, i,
                     readSurfel(LeafFrame<double>(*node, slot), leaf.wordsIn(view), i, leaf.count));
}

}  // namespace marsim::map
