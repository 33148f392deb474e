// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "marsim/map/surfel.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

namespace marsim::map {

/// A wide tree over surfels and the arrays it lies in. Built from the surfels' Morton order: a
/// binary tree of the keys' bits, with a surface-area sweep inside its last 64 surfels, collapsed
/// to eight children a node by the surface-area dynamic programme of Ylitie, Karras, Laine,
/// "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs" (HPG 2017), section 3.
/// The order in which its leaves hold the surfels is the map's: it numbers them.
class SurfelTree {
 public:
  /// Runs on all cores; the result does not depend on their number. `radius` [m] is R.
  /// Throws Error for 2^31 surfels or more, for positions or normals that are not finite, for an
  /// unknown size class and for a channel or sizes of another number of values.
  SurfelTree(const std::vector<Surfel>& surfels, float radius, float planar_threshold,
             const SurfelChannels& channels = {}, const std::vector<std::uint8_t>& sizes = {});

  /// A view that points into this object.
  SurfelTreeView view() const;
  /// Channels in the tree's order.
  SurfelChannelViews channels() const;

 private:
  SurfelTreeHeader header_{};
  std::vector<TreeNode> nodes_;
  std::vector<std::uint32_t> words_;
  SurfelChannels channels_;
};

/// Bytes of nodes and surfels.
std::size_t bytesOf(const SurfelTreeView& view);

/// The surfels of a tree, by their numbers. Positions are relative to the header's origin; the
/// thickness is 0 for planar surfels and infinite for others. Runs on all cores.
std::vector<Surfel> decodeSurfels(const SurfelTreeView& view);

/// Size classes of the surfels of a tree, by their numbers.
std::vector<std::uint8_t> decodeSizes(const SurfelTreeView& view);

/// Checks that a traversal of the view stays inside its arrays, ends, needs no more depth than
/// kMaxTreeDepth and meets numbers only, whatever the bytes are. Throws Error.
void validateTree(const SurfelTreeView& view);

}  // namespace marsim::map
