// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

/// A tree of surfels in memory: flat arrays without pointers, the same in a file. Plain
/// declarations only: sources compiled for several instruction sets include this.
namespace marsim::map {

/// The one way to store surfels, as files say it; 1 was floats.
constexpr std::uint32_t kCompactStorage = 0;

/// Radii of surfels by their size class, in R.
constexpr float kSizeFactors[] = {2.0F, 1.41421356F, 1.0F,  0.70710678F,
                                  0.5F, 0.35355339F, 0.25F, 0.17677670F};
constexpr int kSizeCount = sizeof(kSizeFactors) / sizeof(*kSizeFactors);
constexpr std::uint8_t kUsualSize = 2;  ///< the class of radius R

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

struct TreeNode;

/// A view of a tree that another object owns. src/map/tree/leaf_storage.hpp describes its arrays;
/// decodeSurfels() reads them.
struct SurfelTreeView {
  SurfelTreeHeader header;
  const TreeNode* nodes;
  const std::uint32_t* words;  ///< wordCount() of them

  std::size_t wordCount() const;
};

}  // namespace marsim::map
