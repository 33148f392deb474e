// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include "scene/places/surface_sampler.hpp"

namespace marsim::scene {

/// Galleries along a path, round at bends and ends, and open to each other where they meet. Walls
/// rise straight and end in a vault.
struct TunnelShape {
  std::vector<Eigen::Vector3d> path;  ///< [m] on the floor; may return to earlier corners
  double width, height;               ///< [m]
  double roughness;                   ///< [m] of the rock, about half its greatest depth
};

void sampleTunnel(const TunnelShape& shape, SurfaceSampler& sampler);

}  // namespace marsim::scene
