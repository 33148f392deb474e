#pragma once

#include <cstddef>
#include <cstdint>

/// How a tree of surfels lies in memory: flat arrays without pointers, the same in a file. Plain
/// declarations only: sources compiled for several instruction sets include this.
namespace marsim::map {

constexpr int kTreeWidth = 8;       ///< children a node
constexpr int kMaxLeafSize = 16;    ///< surfels a leaf
constexpr int kMaxTreeDepth = 112;  ///< nodes from the root to a leaf: key bits, and halvings

/// Eight children, inner ones first, then leaves, then empty slots. A child's box is
/// origin + lower * 2^e to origin + upper * 2^e, and holds all that a ray can meet of its surfels
/// as they are stored: of a planar one the disc of radius R in its plane, of the others the ball of
/// radius R, both with kBoxMargin R to spare.
struct TreeNode {
  float origin[3];                    ///< [m] relative to the header's origin
  std::uint8_t exponent[3];           ///< e + 127 of x, y, z: a float's exponent field
  std::uint8_t counts;                ///< inner children; all children times 16
  std::uint32_t child_base;           ///< inner child in slot i: node child_base + i
  std::uint32_t leaf_base;            ///< first surfel of the leaf children
  std::uint8_t leaf_end[kTreeWidth];  ///< leaf in slot i: surfels leaf_base + [leaf_end[i - 1],
                                      ///< leaf_end[i]); 0 for inner children
  std::uint8_t lower[3][kTreeWidth];
  std::uint8_t upper[3][kTreeWidth];

  int innerCount() const { return counts & 15; }
  int childCount() const { return counts >> 4; }
  std::uint32_t leafBegin(int slot) const { return slot == 0 ? 0U : leaf_end[slot - 1]; }
  std::uint32_t leafEnd(int slot) const { return leaf_end[slot]; }
};
static_assert(sizeof(TreeNode) == 80, "as in the file");

/// Spare room in boxes, in R: rounding of stored surfels and of traversals in single precision.
constexpr float kBoxMargin = 0.006F;

/// A leaf of n surfels whose first is number i fills n * kSurfelWords words from i * kSurfelWords
/// on, one field of all its surfels after another: x + y << 13 + (v & 63) << 26; then z + u << 13 +
/// (v >> 6) << 25 + planar << 31, where
///   position = leaf's lower corner + (x, y, z) * 2^(e + b - 13), b: bits of upper - lower;
///   normal along (a + b, a - b, 2 kNormalScale - |a + b| - |a - b|) with a = 2 u - kNormalScale,
///   b = 2 v - kNormalScale.
constexpr std::size_t kSurfelWords = 2;
constexpr int kPositionBits = 13;
constexpr int kNormalScale = 4095;
/// Words behind the last surfel's that may be read (their values mean nothing).
constexpr std::size_t kWordPadding = 16;

/// The one way to store surfels, as files say it; 1 was floats.
constexpr std::uint32_t kCompactStorage = 0;

struct SurfelTreeHeader {
  double origin[3];       ///< [m] in W, of the tree's coordinates
  float radius;           ///< [m] R
  std::uint32_t storage;  ///< kCompactStorage
  std::uint64_t surfel_count;
  std::uint64_t planar_count;
  std::uint64_t node_count;  ///< 0 for an empty map; else the root is the first
  float lower[3], upper[3];  ///< [m] box of the positions as stored, relative to the origin
};
static_assert(sizeof(SurfelTreeHeader) == 80, "as in the file: without gaps");

/// A tree in memory that somebody else keeps.
struct SurfelTreeView {
  SurfelTreeHeader header;
  const TreeNode* nodes;
  const std::uint32_t* words;  ///< wordCount() of them

  std::size_t wordCount() const { return surfelWords() + kWordPadding; }
  std::size_t surfelWords() const { return header.surfel_count * kSurfelWords; }
};

}  // namespace marsim::map
