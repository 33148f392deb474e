// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include "scene/places/surface_sampler.hpp"

namespace marsim::scene {

/// Dimensions of a tree.
struct TreeDimensions {
  Eigen::Vector3d foot = Eigen::Vector3d::Zero();  ///< [m] in W, on the ground
  double height = 12.0;                            ///< [m]
  double radius = 0.18;                            ///< [m] of the trunk at breast height
  bool conifer = false;  ///< cone of needles; else a round crown of leaves
};

/// Trunk, branches and crown of one tree; its details come from the sampler's stream.
void growTree(const TreeDimensions& shape, SurfaceSampler& sampler);

/// A round bush of stems and leaves, `radius` [m] wide.
void growBush(const Eigen::Vector3d& foot, double radius, SurfaceSampler& sampler);

/// A bumpy rock, half in the ground, `radius` [m] wide.
void placeRock(const Eigen::Vector3d& foot, double radius, SurfaceSampler& sampler);

}  // namespace marsim::scene
