// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "map/make/neighbour_cells.hpp"

/// The surface shown by a few points.
namespace marsim::map {

/// Points near one, relative to it [m], with a fit's intermediate values.
struct NearPoints {
  std::vector<float> x, y, z;
  std::vector<float> weight;  ///< points that each stands for
  std::vector<float> fall;    ///< weight, less with the distance
  std::vector<float> factor;  ///< weight in the last fit
  std::vector<float> square;  ///< squared distances of all points tried
  std::size_t count = 0;

  /// Takes the points within `radius` [m] of `centre`, which is relative to the middle of their
  /// cells.
  void gather(const CellNeighbours& from, const Eigen::Vector3f& centre, float radius);
};

/// Sums of points: mean [m] and covariance (divided by the weight) [m^2].
struct PointMoments {
  double weight = 0.0;
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
};

/// Moments with the weights in `factor`. In single precision, four lanes each, in the same
/// order on every processor.
PointMoments weightedMoments(const NearPoints& near);

struct FitSettings {
  float radius = 0.0F;  ///< [m] of the neighbourhood
  float noise = 0.0F;   ///< [m]
  float disc = 0.0F;    ///< [m] R of the surfels
};

enum class FitKind : std::uint8_t { kSheet, kRod, kNeither };

/// A point on the surface that its neighbours show.
struct SurfaceFit {
  FitKind kind = FitKind::kNeither;
  Eigen::Vector3f shift = Eigen::Vector3f::Zero();       ///< [m] from its original place
  Eigen::Vector3f direction = Eigen::Vector3f::UnitZ();  ///< unit: a sheet's normal, a rod's axis
  float thickness = 0.0F;  ///< [m] of a sheet: root mean square distance of its points
};

/// Fits a surface to the points around one, itself included. Overwrites them.
SurfaceFit fitSurface(NearPoints& near, const FitSettings& settings);

}  // namespace marsim::map
