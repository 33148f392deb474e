// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lidar/cast/simd_kernel.hpp"

/// The traversal of plants, compiled for several instruction sets: a tree over instances, and for
/// each patch a tree over its primitives. Plain declarations only, as in cast_kernel.hpp.
namespace marsim::lidar {

constexpr int kPlantWidth = 8;                     ///< children of a node, primitives of a block
constexpr std::uint32_t kPlantLeaf = 0x80000000U;  ///< marks a leaf; the rest is its number
/// Nodes from the root to a leaf of at most 2^32 items: trees are full.
constexpr int kPlantDepth = 12;

/// Eight children's boxes [m], which hold everything of the child; unused ones are empty. Children
/// are nodes, or leaves: instances or blocks.
struct alignas(64) PlantNode {
  float lower[3][kPlantWidth];
  float upper[3][kPlantWidth];
  std::uint32_t child[kPlantWidth];
};

/// Up to eight primitives of one kind, in M [m]; unused ones have a negative radius2.
struct alignas(64) PlantBlock {
  float place[3][kPlantWidth];  ///< a cylinder's first end, a disc's centre
  float axis[3][kPlantWidth];   ///< unit; a disc's normal
  float length[kPlantWidth];    ///< of cylinders
  float radius2[kPlantWidth];   ///< [m^2]
  std::uint32_t primitive[kPlantWidth];
  bool discs;
};

/// Inverse placement of a scene::PlantInstance.
struct PlantPose {
  float foot[3];  ///< [m] from the tree's origin
  float cosine, sine;
  float inverse_width, inverse_height;
  float slope[2];
  std::uint32_t patch;
};

/// A patch: its tree, and the centre of a sphere to which rays are moved.
struct PlantPatch {
  float centre[3];
  std::uint32_t root;  ///< child code of the root
};

struct PlantTreeView {
  const PlantNode* nodes;
  const PlantBlock* blocks;
  const PlantPose* poses;
  const PlantPatch* patches;
  std::uint32_t root;
  // Wind: an instance leans by `lean` times a share that follows from the phase in periods: that of
  // the origin at time 0, plus the time by `per_second`, less the place by `per_metre`.
  bool sways;
  float lean[2];
  double phase, per_second;
  double per_metre[2];
};

struct PlantRay {
  double origin[3];     ///< [m] from the tree's origin
  double direction[3];  ///< of any length, which is the unit of ranges
  float range_min;
  float range;  ///< farther hits are ignored
  float time;   ///< [s]
};

struct PlantHit {
  float range;  ///< the ray's range if nothing is met
  std::uint32_t pose, primitive;
  float normal[3];  ///< unit, in W, towards the ray's origin
};

/// Whether the ray meets a primitive within its range, and the first one.
using PlantKernel = bool (*)(const PlantTreeView&, const PlantRay&, PlantHit&);

MARSIM_KERNEL(bool castAtPlants(const PlantTreeView& tree, const PlantRay& ray, PlantHit& hit))

}  // namespace marsim::lidar
