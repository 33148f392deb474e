#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "map/make/neighbour_cells.hpp"

/// The surface that a few points show.
namespace marsim::map {

/// Points near one, relative to it [m], with room for what a fit does with them.
struct NearPoints {
  std::vector<float> x, y, z;
  std::vector<float> weight;  ///< points that each stands for
  std::vector<float> fall;    ///< the same, less with the distance
  std::vector<float> factor;  ///< the same, as the last fit weighed it
  std::vector<float> square;  ///< of the distances of all that were looked at
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

/// By the weights in `factor`. In single precision, four lanes each, in the same order on every
/// processor.
PointMoments weightedMoments(const NearPoints& near);

struct FitSettings {
  float radius = 0.0F;  ///< [m] of the neighbourhood
  float noise = 0.0F;   ///< [m]
  float disc = 0.0F;    ///< [m] R of the surfels to be made
};

enum class FitKind : std::uint8_t { kSheet, kRod, kNeither };

/// A point on the surface that its neighbours show.
struct SurfaceFit {
  FitKind kind = FitKind::kNeither;
  Eigen::Vector3f shift = Eigen::Vector3f::Zero();       ///< [m] from where it was
  Eigen::Vector3f direction = Eigen::Vector3f::UnitZ();  ///< unit: a sheet's normal, a rod's axis
  float thickness = 0.0F;  ///< [m] of a sheet: root mean square distance of its points
};

/// Fits the points around one, itself included. Spoils them.
SurfaceFit fitSurface(NearPoints& near, const FitSettings& settings);

}  // namespace marsim::map
