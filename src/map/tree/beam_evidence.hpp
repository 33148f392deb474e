// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "marsim/map/surfel_map.hpp"

namespace marsim::map {

/// Counts the beams that ended on each surfel of a map and those that passed it, and gives each
/// surfel the size that they support:
/// - a disc ends where more beams passed than ended;
/// - it grows by up to two size classes, to 2 R at most, where no beam passed;
/// - where more passed than ended on all of it, as on nets and leaves, it becomes so small that the
///   discs stop the share of beams that ended;
/// - where hardly any ended, as on traces of what moved, it is left out.
class BeamEvidence {
 public:
  explicit BeamEvidence(const SurfelMap& map);
  /// Adds the beams of points whose sensor is known. Runs on all cores; the result depends neither
  /// on their number nor on the order of the points.
  void add(const PointCloud& cloud);
  /// The map's surfels with their new sizes.
  SurfelSet resized() const;

 private:
  static constexpr int kLeftOut = -1;
  static constexpr int kRings = 8;
  static constexpr int kGrown = 2;  ///< rings outside the disc
  /// Beams that met the plane of a surfel, by rings that end at the radii of successive size
  /// classes, from kGrown larger than its own.
  struct Counts {
    std::array<std::atomic<std::uint32_t>, kRings> ended{}, passed{};
  };
  struct Beam;

  void count(const Beam& beam);
  void countInLeaf(const Beam& beam, const TreeNode& node, int slot);
  int sizeOf(std::size_t surfel) const;

  const SurfelMap& map_;
  double tolerance_;  ///< [m] between a surfel's plane and the ends of beams that met it
  std::vector<std::uint8_t> sizes_;  ///< classes of the map's surfels
  std::vector<Counts> counts_;
};

}  // namespace marsim::map
