// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
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

/// Sets weights that fall to zero at the radius: (1 - (d / radius)^2)^2.
void weighByDistance(NearPoints& near, float radius);
/// Multiplies weights with a factor of the distance e from a plane, (1 + (e / band)^2)^-2: points
/// on another surface count little.
void weighByPlane(NearPoints& near, const Eigen::Vector3d& mean, const Eigen::Vector3d& normal,
                  float band);
/// A sheet's points in coordinates along it (u, v), the others without weight: overwrites x, y and
/// factor. Voxels count by the root of their points: by area, not by how often they were scanned.
void flatten(NearPoints& near, const Eigen::Vector3d& mean, const Eigen::Vector3f& u,
             const Eigen::Vector3f& v, const Eigen::Vector3d& normal, float band);
/// Angle from the first axis to the long direction of a flattened sheet.
float directionOfLength(const NearPoints& near, float window);

/// Ends of a sheet along an axis, seen through a window.
struct Extent {
  float low = 0.0F, high = 0.0F;
};
/// Ends of a flattened sheet along an axis and across it, from mean and variance in a square
/// window: the uniform layer from `low` to `high` with that variance, (high - low)^2 / 12.
/// `blur2` [m^2]: variance of the noise along the sheet.
std::array<Extent, 2> extents(const NearPoints& near, float angle, float window, float blur2);
/// Distance to go along an axis so that `reach` to either side is still on the sheet; to the
/// sheet's middle if it is narrower.
float inwards(const Extent& extent, float reach);

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
