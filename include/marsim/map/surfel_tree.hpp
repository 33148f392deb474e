#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "marsim/map/surfel_map.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

namespace marsim::map {

/// A wide tree over a map's surfels and the arrays it lies in. Built from the surfels' Morton
/// order: a binary tree of the keys' bits, with a surface-area sweep inside its last 64 surfels,
/// collapsed to eight children a node by the surface-area dynamic programme of Ylitie, Karras,
/// Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs" (HPG 2017),
/// section 3.
class SurfelTree {
 public:
  /// Runs on all cores; the result does not depend on their number. Throws Error for 2^31 surfels
  /// or more and for positions or normals that are not finite.
  SurfelTree(const SurfelMap& map, SurfelStorage storage);

  /// Points into this object.
  SurfelTreeView view() const;
  /// Bytes of nodes and surfels, without the order.
  std::size_t bytes() const;

 private:
  SurfelTreeHeader header_{};
  std::vector<TreeNode> nodes_;
  std::vector<std::uint32_t> words_;
  std::vector<std::uint32_t> order_;
};

/// The surfels as a tree stores them, in the map's order. Positions are relative to the header's
/// origin; the thickness is 0 for planar surfels and infinite for others.
std::vector<Surfel> decodeSurfels(const SurfelTreeView& view);

/// Checks that a traversal of the view stays inside its arrays, ends, and needs no more depth than
/// kMaxTreeDepth, whatever the bytes are. Throws Error.
void validateTree(const SurfelTreeView& view);

}  // namespace marsim::map
