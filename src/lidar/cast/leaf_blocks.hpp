#pragma once

#include <cstdint>

#include "lidar/cast/vector8.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

/// How leaves are read, eight surfels at a time: positions relative to a ray's origin, normals
/// times kScale, planar surfels by the sign of an integer; and one surfel, also in double
/// precision.
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

struct Leaf {
  const map::TreeNode* node;
  int slot;
  std::uint32_t first;  // surfel in tree order
  std::uint32_t count;

  Leaf(const map::TreeNode& parent, int child)
      : node(&parent),
        slot(child),
        first(parent.leaf_base + (child == 0 ? 0U : parent.leaf_end[child - 1])),
        count(parent.leaf_base + parent.leaf_end[child] - first) {}
};

/// 2^(field - 127).
inline float powerOfTwo(int exponent_field) {
  const std::int32_t bits = exponent_field << 23;
  float result;
  __builtin_memcpy(&result, &bits, sizeof(result));
  return result;
}

/// The surfels of a leaf.
class Leaves {
 public:
  static constexpr float kScale = 2.0F * map::kNormalScale;

  Leaves(const map::SurfelTreeView& tree, const Leaf& leaf, const float* origin,
         const float* origin_rest)
      : words_(tree.words + map::kSurfelWords * leaf.first), count_(leaf.count) {
    for (int axis = 0; axis < 3; ++axis) {
      lower_[axis] = lowerOf(leaf, axis);
      step_[axis] = stepOf(leaf, axis);
      base_[axis] = (lower_[axis] - origin[axis]) - origin_rest[axis];
    }
  }

  Block block(std::uint32_t i) const {
    const Int8 low = load8<Int8>(words_ + i), high = load8<Int8>(words_ + count_ + i);
    constexpr int kMask = (1 << map::kPositionBits) - 1;
    Block block;
    block.v[0] = toFloat(low & kMask) * step_[0] + base_[0];
    block.v[1] = toFloat((low >> 13) & kMask) * step_[1] + base_[1];
    block.v[2] = toFloat(high & kMask) * step_[2] + base_[2];
    // Twice the codes, at once.
    const Int8 a = ((high >> 12) & 0x1ffe) - map::kNormalScale;
    const Int8 b = (((high >> 18) & 0x1f80) | (shiftRight<25>(low) & 0x7e)) - map::kNormalScale;
    block.n[0] = toFloat(a + b);
    block.n[1] = toFloat(a - b);
    block.n[2] = kScale - abs8(block.n[0]) - abs8(block.n[1]);
    block.planar = high;
    return block;
  }

  ExactSurfel exact(std::uint32_t i) const {
    const Codes codes(words_[i], words_[count_ + i]);
    ExactSurfel surfel;
    for (int axis = 0; axis < 3; ++axis) {
      surfel.p[axis] = static_cast<double>(lower_[axis]) +
                       static_cast<double>(codes.p[axis]) * static_cast<double>(step_[axis]);
      surfel.n[axis] = codes.n[axis];
    }
    surfel.planar = codes.planar;
    return surfel;
  }

 private:
  struct Codes {
    std::int32_t p[3], n[3];
    bool planar;

    Codes(std::uint32_t low, std::uint32_t high) : planar((high >> 31) != 0) {
      p[0] = static_cast<std::int32_t>(low & 8191U);
      p[1] = static_cast<std::int32_t>((low >> 13) & 8191U);
      p[2] = static_cast<std::int32_t>(high & 8191U);
      const int a = static_cast<int>((high >> 12) & 0x1ffeU) - map::kNormalScale;
      const int b =
          static_cast<int>(((high >> 18) & 0x1f80U) | ((low >> 25) & 0x7eU)) - map::kNormalScale;
      n[0] = a + b;
      n[1] = a - b;
      n[2] = 2 * map::kNormalScale - __builtin_abs(n[0]) - __builtin_abs(n[1]);
    }
  };

  static float lowerOf(const Leaf& leaf, int axis) {
    const map::TreeNode& node = *leaf.node;
    return node.origin[axis] +
           static_cast<float>(node.lower[axis][leaf.slot]) * powerOfTwo(node.exponent[axis]);
  }
  static float stepOf(const Leaf& leaf, int axis) {
    const map::TreeNode& node = *leaf.node;
    const unsigned extent = node.upper[axis][leaf.slot] - node.lower[axis][leaf.slot];
    const int bits = 32 - __builtin_clz(extent | 1U);
    return powerOfTwo(node.exponent[axis] + bits - map::kPositionBits);
  }

  const std::uint32_t* words_;
  std::uint32_t count_;
  float lower_[3], step_[3], base_[3];
};

}  // namespace
}  // namespace marsim::lidar
