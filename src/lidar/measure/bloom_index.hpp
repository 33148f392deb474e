#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

namespace marsim::lidar {

/// Directions to retro-reflectors, searched by direction: in a grid of cubes as wide as the largest
/// chord, which the unit sphere goes through.
class BloomIndex {
 public:
  struct Source {
    Eigen::Vector3f direction;  ///< unit, in W
    std::uint32_t ray;
    float chord;  ///< 2 sin(angle / 2) of the angle within which it blooms
    float share;
  };

  /// Chords above 0.
  explicit BloomIndex(std::vector<Source> sources);
  /// The nearest of the sources that reach a direction, of equal ones that of the lowest ray; null
  /// where none does.
  const Source* nearestTo(const Eigen::Vector3f& direction) const;

 private:
  using Cell = Eigen::Vector3i;
  Cell cellOf(const Eigen::Vector3f& direction) const {
    return (direction / side_).array().floor().cast<int>();
  }
  static std::uint64_t keyOf(const Cell& cell);

  std::vector<Source> sources_;
  float side_ = 0.0F;
  Eigen::AlignedBox3f reach_;                                   // of all sources
  std::vector<std::pair<std::uint64_t, std::uint32_t>> cells_;  // key, source; sorted
};

}  // namespace marsim::lidar
