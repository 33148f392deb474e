#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <Eigen/Geometry>

#include "map/files/point_records.hpp"
#include "map/make/reflectivity.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::map {

/// Moves a file's points into the world frame W, whose float32 coordinates would be too coarse far
/// from the origin (a metre at 1e7 m), and counts what it sees. One object serves one file, which
/// it may see several times.
class LocalFrame {
 public:
  /// At the begin of every reading.
  void begin(const RecordLayout& layout);
  /// Appends a block's points, recentred and then narrowed, without those that are not finite. The
  /// first block of all decides the origin.
  void append(const PointBlock& block, PointCloud& cloud);

  /// [m] W's origin in the file's coordinates: on each axis the median of the first block, rounded
  /// to 100 m, where that is more than 10 km; else 0. A median, because a stray point must not move
  /// a map; of the first block, because the whole file need not be read for it.
  const Eigen::Vector3d& origin() const { return origin_; }
  std::uint64_t points() const { return points_; }         ///< seen in this reading
  std::uint64_t nonFinite() const { return non_finite_; }  ///< of them, dropped
  const Eigen::AlignedBox3f& box() const { return box_; }  ///< [m] in W, of those kept
  /// The intensity of all points kept where it is one.
  std::optional<float> constantIntensity() const { return intensity_.constant(); }
  /// [m] between neighbouring numbers where the float32 coordinates are largest, those of W and,
  /// where it has float32, of the file.
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
