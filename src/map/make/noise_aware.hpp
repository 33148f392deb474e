// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/common/progress.hpp"
#include "marsim/map/point_cloud.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map {

/// Surfels of a noisy cloud, the means of voxels of side r with their weights. The points around
/// each decide what it lies on (moving least squares; Alexa et al., "Computing and Rendering Point
/// Set Surfaces", TVCG 2003):
/// - a sheet: it moves onto their plane, fitted again with little weight for what lies off the
///   first one, so that edges and corners stay; and away from the sheet's edge, so that its disc of
///   radius R ends where the sheet does;
/// - a rod: it moves to the axis, less far where they spread wider than noise makes them, and
///   becomes a planar surfel along the axis, turned about it from voxel to voxel: seen from any
///   side such a chain of discs hides less beside the rod than balls would, and ranges are right
///   for rays along it too;
/// - neither (fewer than three points): it stays, not planar.
/// Then those in one voxel that lie on one surface are merged. Runs on all cores; the result does
/// not depend on their number. The cloud is used up. `measured_noise` [m] of its source stands
/// in for the configuration's if that is 0. Throws ConfigError, Error.
SurfelSet makeNoiseAwareSurfels(PointCloud&& cloud, double measured_noise,
                                const SurfelMapConfig& config,
                                Progress& progress = Progress::none());

/// Standard deviation [m] of a source's points off their surfaces: the median thickness of flat
/// neighbourhoods. These are as small, 0.15 m or more, as the points' spacing and the noise itself
/// allow, so that the result is the source's own, whatever the resolution of a map. 0 if none is
/// flat.
double measureNoise(const PointCloud& source);

}  // namespace marsim::map
