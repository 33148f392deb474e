// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "map/make/surface_fit.hpp"
#include "marsim/map/point_cloud.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map {

/// Points that were moved onto their surfaces.
struct MovedPoints : PointChannels {
  std::vector<Eigen::Vector3f> positions;   ///< [m] in W
  std::vector<Eigen::Vector3f> directions;  ///< unit: a sheet's normal, a rod's axis
  std::vector<float> thickness;             ///< [m]
  std::vector<float> weights;               ///< source points each
  std::vector<FitKind> kinds;
  std::vector<std::uint8_t> sizes;  ///< classes of their discs, see kSizeFactors; empty: all usual

  void resize(std::size_t size);
};

struct MergeSettings {
  double resolution = 0.0;    ///< [m] r
  double offset = 0.0;        ///< [m] of a point from the sheet that it is merged with
  bool crossed_rods = false;  ///< two surfels at a right angle instead of one
};

/// Surfels and their points' channels.
struct MergedPoints : PointChannels {
  std::vector<Surfel> surfels;
  std::vector<FitKind> kinds;       ///< one for each surfel
  std::vector<float> weights;       ///< source points each
  std::vector<std::uint8_t> sizes;  ///< classes of their discs, see kSizeFactors; empty: all usual

  std::uint8_t sizeOf(std::size_t i) const { return sizes.empty() ? kUsualSize : sizes[i]; }
  void append(const MergedPoints& other);
};

/// Makes one surfel of the points of a voxel of side r that lie on one surface, in the order of the
/// voxels' keys. On all cores; the result does not depend on their number.
MergedPoints mergeInVoxels(const MovedPoints& moved, const MergeSettings& settings);

}  // namespace marsim::map
