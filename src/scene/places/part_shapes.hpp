// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include "scene/places/surface_sampler.hpp"

/// Shapes for parts, in the part's coordinates [m].
namespace marsim::scene {

/// A box that stands on its centre's foot.
void boxOn(const Eigen::Vector3d& foot, const Eigen::Vector3d& size, SurfaceSampler& sampler);
/// A straight round bar without caps.
void rod(const Eigen::Vector3d& from, const Eigen::Vector3d& to, double radius,
         SurfaceSampler& sampler);
/// An even disc at a right angle to `normal`.
void disc(const Eigen::Vector3d& centre, const Eigen::Vector3d& normal, double radius,
          SurfaceSampler& sampler);
/// A bar with both caps.
void drum(const Eigen::Vector3d& from, const Eigen::Vector3d& to, double radius,
          SurfaceSampler& sampler);
/// The surface between four corners, straight along both pairs of sides.
void quad(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
          const Eigen::Vector3d& d, SurfaceSampler& sampler);

/// Both faces of an upright wall, `through` its thickness, and the reveals of its holes.
void wallFaces(const Eigen::Vector3d& corner, const Eigen::Vector3d& along,
               const Eigen::Vector3d& through, double height,
               const std::vector<SurfaceSampler::Hole>& holes, SurfaceSampler& sampler);

}  // namespace marsim::scene
