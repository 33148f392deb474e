// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lidar/cast/vector8.hpp"
#include "map/tree/leaf_storage.hpp"

/// Decodes leaves, eight surfels at a time: positions relative to a ray's origin, normals times
/// kScale, planar surfels by the sign of an integer; and single surfels, also in double precision.
namespace marsim::lidar {
namespace {

struct Block {
  Float8 v[3], n[3];  // [m] surfel - origin
  Int8 planar;
};

struct ExactSurfel {
  double p[3], n[3];  // [m] relative to the tree's origin
  bool planar;
};

/// The surfels of a leaf.
class Leaves {
 public:
  static constexpr float kScale = 2.0F * map::kNormalScale;  ///< length of normals, about

  Leaves(const map::SurfelTreeView& tree, const map::TreeNode& node, int slot, const float* origin,
         const float* origin_rest)
      : Leaves(tree, map::StoredLeaf(node, slot), map::LeafFrame<float>(node, slot), origin,
               origin_rest) {}

  std::uint32_t first() const { return leaf_.first; }  ///< surfel in tree order
  std::uint32_t count() const { return leaf_.count; }
  float radius() const { return radius_; }  ///< [m] of the surfels

  Block block(std::uint32_t i) const {
    const map::SurfelCodes<Int8> codes(load8<Int8>(words_ + i),
                                       load8<Int8>(words_ + leaf_.count + i));
    Block block;
    for (int axis = 0; axis < 3; ++axis) {
      block.v[axis] = toFloat(codes.position[axis]) * frame_.step[axis] + base_[axis];
    }
    block.n[0] = toFloat(codes.normal[0]);
    block.n[1] = toFloat(codes.normal[1]);
    block.n[2] = map::normalZ<float>(abs8(block.n[0]), abs8(block.n[1]));
    block.planar = codes.planar;
    return block;
  }

  ExactSurfel exact(std::uint32_t i) const {
    const map::SurfelCodes<std::int32_t> codes(static_cast<std::int32_t>(words_[i]),
                                               static_cast<std::int32_t>(words_[leaf_.count + i]));
    ExactSurfel surfel;
    for (int axis = 0; axis < 3; ++axis) {
      surfel.p[axis] =
          static_cast<double>(frame_.lower[axis]) +
          static_cast<double>(codes.position[axis]) * static_cast<double>(frame_.step[axis]);
    }
    const int x = codes.normal[0], y = codes.normal[1];
    surfel.n[0] = x;
    surfel.n[1] = y;
    surfel.n[2] = map::normalZ<int>(__builtin_abs(x), __builtin_abs(y));
    surfel.planar = codes.planar < 0;
    return surfel;
  }

 private:
  Leaves(const map::SurfelTreeView& tree, const map::StoredLeaf& leaf,
         const map::LeafFrame<float>& frame, const float* origin, const float* origin_rest)
      : leaf_(leaf), frame_(frame), words_(leaf.wordsIn(tree)), radius_(leaf.radiusIn(tree)) {
    for (int axis = 0; axis < 3; ++axis) {
      base_[axis] = (frame_.lower[axis] - origin[axis]) - origin_rest[axis];
    }
  }

  const map::StoredLeaf leaf_;
  const map::LeafFrame<float> frame_;
  const std::uint32_t* words_;
  const float radius_;
  float base_[3];  // [m] lower corner - origin
};

}  // namespace
}  // namespace marsim::lidar
