// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lidar/cast/workers.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

/// An order of rays, octant by octant, in which neighbours go nearly the same way.
struct RayOrder {
  static constexpr std::uint32_t kUnusable = 8;  ///< octant of rays that can meet nothing

  std::vector<std::uint32_t> index;   ///< indices of rays; those that can meet nothing come last
  std::size_t octant_end[kUnusable];  ///< in `index`: x negative + 2 * y negative + 4 * z negative
  std::size_t begin(std::size_t octant) const { return octant == 0 ? 0 : octant_end[octant - 1]; }

  /// Buffers of the sort: kept, so that sorting scans one after another does not allocate.
  struct Item {
    std::uint32_t key, index;
  };
  std::vector<Item> items, other_items;
  std::vector<std::uint32_t> places;
};

/// Sorts rays; the result is the same for any number of threads.
void sortByDirection(const std::vector<Ray>& rays, const Workers& workers, RayOrder& order);
/// Sorts beams of `rays_a_beam` rays each, which follow one another in `rays`, by their first rays;
/// a beam's rays stay together. An incomplete beam at the end is kept, unsorted.
void sortBeams(const std::vector<Ray>& rays, std::size_t rays_a_beam, const Workers& workers,
               RayOrder& order);

}  // namespace marsim::lidar
