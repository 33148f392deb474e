// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/map/point_cloud.hpp"
#include "marsim/scene/vehicle_body.hpp"

namespace marsim::collision {

/// A UAV's body in its frame B, voxelised: a cell is occupied where it holds a point of the body's
/// surface, or where occupied cells enclose it. Cell (i, j, k) is the cube of side cell() about
/// (i, j, k) cell() (Kong et al., "MARSIM", RA-L 2023, section IV-D). An exact body occupies its
/// box, arms and discs alone, which its occupied cells hold.
class BodyVoxels {
 public:
  /// The voxels of points in B. Throws ConfigError for a cell that is not positive or so small that
  /// there would be more than 2^27 voxels, for a cloud without points and for points that are not
  /// finite.
  BodyVoxels(const map::PointCloud& cloud_B, double cell);
  /// The voxels of a body's surface, sampled finely enough for them. Throws as bodyCloud does.
  /// `exact`: the body occupies its own shape, unless that is a cloud.
  BodyVoxels(const scene::BodyConfig& body, double cell, bool exact = false);

  Eigen::Vector3i cellOf(const Eigen::Vector3d& p_B) const {
    return (p_B / cell_).array().round().matrix().cast<int>();
  }
  bool occupied(const Eigen::Vector3i& cell) const {
    const Eigen::Array3i place = cell.array() - low_;
    if ((place < 0).any() || (place >= size_).any()) return false;
    const std::size_t bit = bitOf(place);
    return (bits_[bit / 64] >> (bit % 64) & 1U) != 0;
  }
  /// Whether the body occupies a point in B.
  bool contains(const Eigen::Vector3d& p_B) const {
    return shape_ ? distance(p_B, cell_) == 0.0 : occupied(cellOf(p_B));
  }
  /// Centre [m] of a cell in B.
  Eigen::Vector3d centre(const Eigen::Vector3i& cell) const { return cell_ * cell.cast<double>(); }

  /// Distance [m] from a point in B to the body, 0 inside; `limit` [m] if the body is no nearer.
  double distance(const Eigen::Vector3d& p_B, double limit) const;

  double cell() const { return cell_; }         ///< [m] side
  std::size_t count() const { return count_; }  ///< occupied cells
  /// Radius [m] of the sphere about B's origin that holds all occupied cells.
  double radius() const { return radius_; }
  /// Box [m] in B that holds all occupied cells.
  const Eigen::AlignedBox3d& box() const { return box_; }
  std::vector<Eigen::Vector3i> cells() const;

 private:
  std::size_t bitOf(const Eigen::Array3i& place) const {
    return (static_cast<std::size_t>(place.z()) * static_cast<std::size_t>(size_.y()) +
            static_cast<std::size_t>(place.y())) *
               static_cast<std::size_t>(size_.x()) +
           static_cast<std::size_t>(place.x());
  }
  bool at(const Eigen::Array3i& place) const { return occupied((place + low_).matrix()); }
  void set(const Eigen::Array3i& place) {
    bits_[bitOf(place) / 64] |= std::uint64_t{1} << (bitOf(place) % 64);
  }
  void fillEnclosed();
  void joinIntoBoxes();

  double cell_;
  std::optional<scene::BodyConfig> shape_;  // of an exact body
  Eigen::Array3i low_ = Eigen::Array3i::Zero(), size_ = Eigen::Array3i::Zero();
  std::vector<std::uint64_t> bits_;
  std::size_t count_ = 0;
  double radius_ = 0.0;
  Eigen::AlignedBox3d box_;
  std::vector<Eigen::AlignedBox3d> boxes_;  // their union: the occupied cells
};

}  // namespace marsim::collision
