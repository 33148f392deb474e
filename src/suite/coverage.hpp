// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/common/view.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::suite {

/// The volume that counts, and its voxels' size.
struct CoverageConfig {
  double voxel = 0.5;                                         ///< [m]
  Eigen::AlignedBox3d box{Eigen::Vector3d(-1e4, -1e4, -1e4),  ///< [m] in W
                          Eigen::Vector3d(1e4, 1e4, 1e4)};
};

/// The share of a map's free volume that a sensor has seen. The volume is a grid of voxels over the
/// map's bounds, cut to a box. A voxel is occupied if a surfel's position lies in it, else free.
/// The free voxels connected through faces with the start count. A voxel is seen once a ray from
/// the sensor to a return has passed through it.
class Coverage {
 public:
  /// `start` [m] in W must lie in a free voxel, or within `radius` [m] of one (a vehicle that
  /// stands on the ground lies in an occupied voxel). Throws ConfigError for a voxel so small that
  /// there are more than kMostVoxels, and if no voxel there is free.
  Coverage(const map::SurfelMap& map, const CoverageConfig& config, const Eigen::Vector3d& start,
           double radius);

  static constexpr std::uint64_t kMostVoxels = 50'000'000;

  /// Adds a scan: rays from the sensor to its returns [m] in W. Ignores places that are not finite.
  void add(const Eigen::Vector3d& sensor, View<Eigen::Vector3f> points);

  /// 0 to 1.
  double share() const { return static_cast<double>(seen_) / static_cast<double>(reachable_); }
  std::size_t reachable() const { return reachable_; }  ///< voxels
  std::size_t seen() const { return seen_; }            ///< seen ones among these
  /// Middles [m] in W of the reachable voxels that were not seen.
  std::vector<Eigen::Vector3d> unseen() const;

 private:
  void layGrid(const map::SurfelMap& map, const Eigen::AlignedBox3d& box);
  void markOccupied(const map::SurfelMap& map);
  std::vector<std::uint32_t> voxelsRound(const Eigen::Vector3d& place, double radius) const;
  void flood(std::vector<std::uint32_t> frontier);
  void see(std::uint32_t voxel);
  void addRay(const Eigen::Vector3d& from, const Eigen::Vector3d& to);

  bool inside(const Eigen::Array3i& cell) const {
    return (cell >= 0).all() && (cell < size_).all();
  }
  std::uint32_t indexOf(const Eigen::Array3i& cell) const;
  /// In voxels from the grid's corner.
  Eigen::Vector3d inGrid(const Eigen::Vector3d& p_W) const { return p_W / voxel_ - low_; }

  double voxel_;         // [m]
  Eigen::Vector3d low_;  // [voxels] corner of the grid in W
  Eigen::Array3i size_;  // voxels along each axis
  std::vector<std::uint8_t> flags_;
  std::size_t reachable_ = 0;
  std::size_t seen_ = 0;
};

}  // namespace marsim::suite
