// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "marsim/map/surfel_tree_layout.hpp"

/// How nodes, leaves and surfels are stored, in memory and in files. All code that writes or reads
/// them uses this header: the builder, the check of files, searches, the walks of rays and of
/// images and, through lidar_gl/cast_program.cpp, the shaders.
///
/// Sources compiled for several instruction sets include it: functions are internal to the source.
namespace marsim::map {

// ------------------------------------------------------------------------------------------- nodes

constexpr int kTreeWidth = 8;       ///< children a node
constexpr int kMaxLeafSize = 16;    ///< surfels a leaf
constexpr int kMaxTreeDepth = 112;  ///< nodes from the root to a leaf: bits of a key, and halvings
constexpr int kExponentBias = 127;  ///< of a float's exponent field
constexpr int kCountBits = 4;       ///< of a child count

/// Eight children, inner ones first, then leaves, then empty slots. A child's box is origin + lower
/// * 2^e to origin + upper * 2^e, and holds all points where a ray can meet its stored surfels: a
/// planar one's disc, another one's ball, both with a margin of kBoxMargin R. All surfels of a leaf
/// have the same size.
struct TreeNode {
  float origin[3];                ///< [m] relative to the header's origin
  std::uint8_t exponent[3];       ///< e + kExponentBias of x, y, z: a float's exponent field
  std::uint8_t counts;            ///< inner children; all children times 2^kCountBits
  std::uint32_t child_base;       ///< inner child in slot i: node child_base + i
  std::uint32_t leaf_base;        ///< first surfel of the leaf children
  std::uint8_t leaf[kTreeWidth];  ///< leaf in slot i: its number of surfels and, times
                                  ///< 2^kLeafCountBits, their size class; 0 for inner children
  std::uint8_t lower[3][kTreeWidth];
  std::uint8_t upper[3][kTreeWidth];

  int innerCount() const { return counts & ((1 << kCountBits) - 1); }
  int childCount() const { return counts >> kCountBits; }
  void setCounts(int inner, int all) {
    counts = static_cast<std::uint8_t>(inner | all << kCountBits);
  }
};
static_assert(sizeof(TreeNode) == 80, "as in the file");

constexpr int kLeafCountBits = 5;  ///< of TreeNode::leaf

/// Margin of boxes, in R: for rounding of stored surfels and of traversals in single precision.
constexpr float kBoxMargin = 0.006F;

/// A child in one word, for walks: a node's number, or with kLeafBit a leaf's parent and slot.
constexpr std::uint32_t kLeafBit = 0x80000000U;
constexpr int kSlotBits = 3;

namespace {

constexpr std::uint32_t leafCode(std::uint32_t parent, unsigned slot) {
  return kLeafBit | parent << kSlotBits | slot;
}
constexpr std::uint32_t parentOf(std::uint32_t leaf_code) {
  return (leaf_code & ~kLeafBit) >> kSlotBits;
}
constexpr int slotOf(std::uint32_t leaf_code) {
  return static_cast<int>(leaf_code & ((1U << kSlotBits) - 1));
}
inline std::uint32_t childOf(const TreeNode& node, std::uint32_t number, unsigned slot) {
  return slot < static_cast<unsigned>(node.innerCount()) ? node.child_base + slot
                                                         : leafCode(number, slot);
}
/// A mask with a bit for each child.
inline unsigned slotsUsed(const TreeNode& node) { return (1U << node.childCount()) - 1; }

/// 2^exponent for normal floats or doubles; inline, since it is used very often.
template <class Real>
Real powerOfTwo(int exponent) {
  constexpr bool kSingle = std::is_same<Real, float>::value;
  using Bits = std::conditional_t<kSingle, std::uint32_t, std::uint64_t>;
  const Bits bits = static_cast<Bits>(exponent + (kSingle ? 127 : 1023)) << (kSingle ? 23 : 52);
  Real value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}
/// [m] of a node's boxes.
template <class Real>
Real gridStep(const TreeNode& node, int axis) {
  return powerOfTwo<Real>(node.exponent[axis] - kExponentBias);
}

}  // namespace

// ------------------------------------------------------------------------------------------ leaves

/// A surfel is two words. A leaf of n surfels whose first is number i fills n * kSurfelWords words
/// from i * kSurfelWords on: the first words of all its surfels, then the second ones.
constexpr std::size_t kSurfelWords = 2;
/// Words after the last surfel's that may be read (with meaningless values).
constexpr std::size_t kWordPadding = 16;

/// Bits of a surfel's words.
struct BitField {
  int word, first, bits;
};
/// The position in steps from the leaf's lower corner, see LeafFrame.
constexpr int kPositionBits = 13;
constexpr BitField kX{0, 0, kPositionBits}, kY{0, 13, kPositionBits}, kZ{1, 0, kPositionBits};
/// The normal has the direction (a + b, a - b, 2 kNormalScale - |a + b| - |a - b|), with a = 2 u -
/// kNormalScale and b = 2 v - kNormalScale. v's lowest bits are in the first word.
constexpr int kNormalBits = 12, kNormalScale = (1 << kNormalBits) - 1;
constexpr BitField kU{1, 13, kNormalBits}, kVLow{0, 26, 6}, kVHigh{1, 25, 6};
constexpr BitField kPlanar{1, 31, 1};
static_assert(kPlanar.first == 31, "the sign of its word");

namespace {

constexpr std::uint32_t maskOf(BitField field) { return (1U << field.bits) - 1; }

/// The bits of a field times 2^scale, of one surfel (std::int32_t) or of several at once (lanes).
template <class Word>
Word fieldOf(const Word* words, BitField field, int scale = 0) {
  return (words[field.word] >> (field.first - scale)) &
         static_cast<std::int32_t>(maskOf(field) << scale);
}
/// Sets the bits of a field, which are 0.
inline void putField(std::uint32_t value, BitField field, std::uint32_t* words) {
  words[field.word] |= (value & maskOf(field)) << field.first;
}

/// The decoded words of one surfel or of several.
template <class Word>
struct SurfelCodes {
  Word position[3];  ///< steps
  Word normal[2];    ///< x and y; z is normalZ()
  Word planar;       ///< negative if planar

  SurfelCodes(Word first, Word second) {
    const Word words[kSurfelWords] = {first, second};
    position[0] = fieldOf(words, kX);
    position[1] = fieldOf(words, kY);
    position[2] = fieldOf(words, kZ);
    planar = words[kPlanar.word];
    const Word a = fieldOf(words, kU, 1) - kNormalScale;
    const Word b =
        (fieldOf(words, kVHigh, kVLow.bits + 1) | fieldOf(words, kVLow, 1)) - kNormalScale;
    normal[0] = a + b;
    normal[1] = a - b;
  }
};
/// From the absolute x and y of the normal. `Scalar`: int or float, also lanes of them.
template <class Scalar, class T>
T normalZ(T size_x, T size_y) {
  return static_cast<Scalar>(2 * kNormalScale) - size_x - size_y;
}

/// Byte i: the number of surfels in the leaves of slots 0 to i, at most 8 * kMaxLeafSize.
inline std::uint64_t leafEnds(const TreeNode& node) {
  std::uint64_t leaves;
  __builtin_memcpy(&leaves, node.leaf, sizeof(leaves));
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  return (leaves & kOnes * ((1U << kLeafCountBits) - 1)) * kOnes;
}
inline std::uint32_t surfelsOf(const TreeNode& node) {
  return static_cast<std::uint32_t>(leafEnds(node) >> 56);
}

/// The leaf in a slot.
struct StoredLeaf {
  std::uint32_t first, count;  ///< surfels
  std::uint8_t size;           ///< their class

  StoredLeaf(const TreeNode& node, int slot) {
    const std::uint64_t begins = leafEnds(node) << 8;
    first = node.leaf_base + static_cast<std::uint8_t>(begins >> (8 * slot));
    count = node.leaf[slot] & ((1U << kLeafCountBits) - 1);
    size = static_cast<std::uint8_t>(node.leaf[slot] >> kLeafCountBits);
  }
  /// [m]
  float radiusIn(const SurfelTreeView& tree) const {
    return tree.header.radius * kSizeFactors[size];
  }
  /// The words of its surfels, see kSurfelWords.
  const std::uint32_t* wordsIn(const SurfelTreeView& tree) const {
    return tree.words + kSurfelWords * first;
  }
};

/// [m] Radius of the largest surfels that a tree may have.
inline float largestRadius(const SurfelTreeView& tree) {
  return tree.header.radius * kSizeFactors[0];
}

/// A leaf's box and the step of positions in it: the smallest power of two with which
/// 2^kPositionBits steps span the box.
template <class Real>
struct LeafFrame {
  Real lower[3], step[3];  ///< [m]

  LeafFrame(const TreeNode& node, int slot) {
    for (int axis = 0; axis < 3; ++axis) {
      const unsigned low = node.lower[axis][slot], extent = node.upper[axis][slot] - low;
      const int bits = 32 - __builtin_clz(extent | 1U);
      lower[axis] = static_cast<Real>(node.origin[axis]) +
                    static_cast<Real>(low) * gridStep<Real>(node, axis);
      step[axis] = powerOfTwo<Real>(node.exponent[axis] - kExponentBias + bits - kPositionBits);
    }
  }
};

}  // namespace

}  // namespace marsim::map
