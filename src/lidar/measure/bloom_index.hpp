// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

namespace marsim::lidar {

/// Directions to retro-reflectors, found by direction: in a grid of cubes, as wide as the largest
/// chord, that covers the unit sphere.
class BloomIndex {
 public:
  struct Source {
    Eigen::Vector3f direction;  ///< unit, in W
    std::uint32_t ray;
    float chord;  ///< 2 sin(angle / 2) of the angle within which it blooms
    float share;
  };

  /// Sources must have chords above 0.
  explicit BloomIndex(std::vector<Source> sources);
  /// The nearest source whose bloom covers a direction, of equal ones the one of the lowest ray;
  /// null if none does.
  const Source* nearestTo(const Eigen::Vector3f& direction) const;

 private:
  using Cell = Eigen::Vector3i;
  Cell cellOf(const Eigen::Vector3f& direction) const {
    return (direction / side_).array().floor().cast<int>();
  }
  static std::uint64_t keyOf(const Cell& cell);

  std::vector<Source> sources_;
  float side_ = 0.0F;
  Eigen::AlignedBox3f reach_;                                   // bounds of all sources' blooms
  std::vector<std::pair<std::uint64_t, std::uint32_t>> cells_;  // key, source; sorted
};

}  // namespace marsim::lidar
