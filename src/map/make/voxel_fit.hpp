// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include "map/make/surface_fit.hpp"

/// Whether one disc can stand for the points of a voxel.
namespace marsim::map {

struct VoxelSettings {
  float side = 0.0F;          ///< [m] L: side of the voxel
  float disc = 0.0F;          ///< [m] radius of its disc
  float radius = 0.0F;        ///< [m] of the largest neighbourhood
  float least_radius = 0.0F;  ///< [m] of the smallest
  float cell = 0.0F;          ///< [m] side of the voxels whose means the neighbours are
  float noise = 0.0F;         ///< [m]
  float band = 0.0F;          ///< [m] from a plane to its farthest points
};

struct VoxelFit {
  FitKind kind = FitKind::kNeither;
  Eigen::Vector3f shift = Eigen::Vector3f::Zero();       ///< [m] of the disc from the voxel's mean
  Eigen::Vector3f direction = Eigen::Vector3f::UnitZ();  ///< unit: a sheet's normal, a rod's axis
  Eigen::Vector3f on_plane = Eigen::Vector3f::Zero();    ///< [m] point of the plane, from the mean
  float thickness = 0.0F;                                ///< [m]
  float inliers = 0.0F;                                  ///< share of the points within the band
  float spacing = 0.0F;                                  ///< [m] between points on the sheet
  bool is_alone = false;                                 ///< too few neighbours
  bool is_line = false;    ///< the points form a line as thin as noise makes it
  bool is_edge = false;    ///< the sheet ends within the disc
  bool is_filled = false;  ///< the disc covers points only
};

/// Fits a plane to the points around a voxel's mean: to the largest neighbourhood that it explains.
VoxelFit fitVoxel(const CellNeighbours& around, const Eigen::Vector3f& mean,
                  const VoxelSettings& settings, NearPoints& near);

/// Fits a plane to a line's points and those of other lines beside it, in neighbourhoods that grow
/// up to the settings' radius. A sheet, if one plane explains them all.
VoxelFit fitLines(const CellNeighbours& around, const Eigen::Vector3f& mean,
                  const VoxelSettings& settings, NearPoints& near);

}  // namespace marsim::map
