// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Geometry>

#include "marsim/map/point_cloud.hpp"

namespace marsim::map_tools {

/// The part of a map's box that a vehicle can reach from one place.
struct FreeVolume {
  double voxel = 0.0;   ///< [m] side of the voxels
  double share = 0.0;   ///< of the box's voxels that are empty and reachable from the place
  double volume = 0.0;  ///< [m3] this share of the box
};

/// Fills the box of a cloud with voxels, of side `voxel` [m] or, where there would be more than 8
/// million, larger, and counts those without a point that can be reached from `place` through
/// faces. 0 where the place's own voxel holds a point.
FreeVolume freeVolume(const map::PointCloud& cloud, const Eigen::Vector3d& place, double voxel);

}  // namespace marsim::map_tools
