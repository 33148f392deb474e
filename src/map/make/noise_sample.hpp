// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <Eigen/Core>

namespace marsim::map {

/// Measures how far the points of a source lie off their surfaces, from the source's own points:
/// not from means of voxels, whose noise falls with the voxel's side, and in neighbourhoods whose
/// size follows from the source and not from a map's resolution. Keeps the points of some cells of
/// a fixed grid, chosen by a hash, so that its memory is bounded for any source. Takes points block
/// by block; neither their order nor the blocks matter.
class NoiseSample {
 public:
  /// Keeps at most twice `most_points` in cells of each size, and measures with at most that many.
  explicit NoiseSample(std::size_t most_points = 500'000);
  void add(const std::vector<Eigen::Vector3f>& points);
  /// Standard deviation [m]: the median thickness of flat neighbourhoods. 0 where none is flat.
  double noise();

 private:
  /// Points of a cell; where there are many, those with the least hashes.
  struct Cell {
    std::uint64_t limit = ~std::uint64_t{0};  ///< points with larger hashes are ignored
    std::vector<Eigen::Vector3f> points;
  };
  /// Cells of one size.
  struct Level {
    double side = 0.0;                        ///< [m] side of a cell
    std::size_t most_in_cell = 0;             ///< points
    std::size_t places = 0;                   ///< neighbourhoods used in a cell
    std::uint64_t limit = ~std::uint64_t{0};  ///< cells with larger hashes are ignored
    std::unordered_map<std::uint64_t, Cell> cells;
    std::size_t points = 0;  ///< in all cells; the cells' own memory counts as points
  };
  /// The noise that neighbourhoods of one radius show.
  struct Found {
    double thickness = 0.0;   ///< [m] median of the flat ones
    double share_full = 0.0;  ///< of all, those with enough points
    double share_flat = 0.0;  ///< of these, those that are flat
  };

  void add(const Eigen::Vector3f& p, Level& level) const;
  void thin(Level& level) const;
  static Found look(const Level& level, double radius);

  std::size_t most_points_;
  std::array<Level, 2> levels_;
};

}  // namespace marsim::map
