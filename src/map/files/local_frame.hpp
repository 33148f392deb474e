// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <Eigen/Geometry>

#include "map/files/point_records.hpp"
#include "map/make/reflectivity.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::map {

/// Moves a file's points into the world frame W, since float32 coordinates would be too coarse far
/// from the origin (a metre at 1e7 m), and counts them. One object serves one file, which may be
/// read several times.
class LocalFrame {
 public:
  /// Call it before every reading.
  void begin(const RecordLayout& layout);
  /// Appends a block's points, recentred and then narrowed, without those that are not finite. The
  /// first block of the first reading decides the origin.
  void append(const PointBlock& block, PointCloud& cloud);

  /// [m] W's origin in the file's coordinates: on each axis the median of the first block, rounded
  /// to 100 m, if that is more than 10 km; else 0. A median, since a stray point must not move a
  /// map; of the first block, since the whole file need not be read for it.
  const Eigen::Vector3d& origin() const { return origin_; }
  std::uint64_t points() const { return points_; }         ///< in this reading
  std::uint64_t nonFinite() const { return non_finite_; }  ///< dropped points among them
  const Eigen::AlignedBox3f& box() const { return box_; }  ///< [m] in W, of the kept points
  /// The intensity of all kept points if it is the same.
  std::optional<float> constantIntensity() const { return intensity_.constant(); }
  /// [m] between neighbouring numbers where the float32 coordinates are largest: W's and, if it has
  /// float32, the file's.
  double coordinateStep() const;

 private:
  void decideOrigin(const PointBlock& block);

  Eigen::Vector3d origin_ = Eigen::Vector3d::Zero();
  bool decided_ = false;
  std::array<bool, 3> float32_{};
  std::uint64_t points_ = 0, non_finite_ = 0;
  Eigen::AlignedBox3f box_;
  IntensityRange intensity_;
};

}  // namespace marsim::map
