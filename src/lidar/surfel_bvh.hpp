#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "marsim/map/surfel_map.hpp"

namespace marsim::lidar {

/// Bounding volume hierarchy over a map's surfels with four children a node. Boxes hold all that a
/// ray can meet of their surfels: of a planar one the disc of radius R in its plane, of the others
/// the ball of radius R (the ray's nearest approach to the point). Coordinates are
/// relative to the map's origin.
class SurfelBvh {
 public:
  static constexpr int kWidth = 4;
  static constexpr int kMaxDepth = 64;  ///< of the tree, nodes from the root to a leaf

  struct alignas(64) Node {
    float bounds[6][kWidth];      ///< [m] lower x, y, z, then upper x, y, z of each child
    std::uint32_t child[kWidth];  ///< see isLeaf(); kEmpty: no child, its box is inverted
  };
  /// Surfels of a leaf, four at a time; unused lanes hold NaN positions, which no ray meets.
  struct alignas(16) Block {
    float position[3][kWidth];
    float normal[3][kWidth];
    std::uint32_t id[kWidth];  ///< index into the map, kPlanar added where planar
  };
  static constexpr std::uint32_t kEmpty = 0xffffffffU;
  static constexpr std::uint32_t kPlanar = 0x80000000U;

  /// Runs on all cores; the tree does not depend on their number. Throws Error for more than 2^31
  /// surfels.
  explicit SurfelBvh(const map::SurfelMap& map);

  bool empty() const { return nodes_.empty(); }
  /// The root is the first.
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  float radius() const { return radius_; }  ///< [m] R

  /// A child is a node, child = its index, or a leaf of one or more blocks.
  static bool isLeaf(std::uint32_t child) { return (child & kLeaf) != 0; }
  static std::uint32_t firstBlock(std::uint32_t leaf) { return (leaf & ~kLeaf) >> kCountBits; }
  static std::uint32_t blockCount(std::uint32_t leaf) { return (leaf & kCountMask) + 1; }
  static std::uint32_t makeLeaf(std::size_t first_block, std::size_t count) {
    return kLeaf | static_cast<std::uint32_t>(first_block << kCountBits) |
           static_cast<std::uint32_t>(count - 1);
  }

 private:
  static constexpr std::uint32_t kLeaf = 0x80000000U;
  static constexpr int kCountBits = 1;
  static constexpr std::uint32_t kCountMask = (1U << kCountBits) - 1;

  std::vector<Node> nodes_;
  std::vector<Block> blocks_;
  float radius_;
};

}  // namespace marsim::lidar
