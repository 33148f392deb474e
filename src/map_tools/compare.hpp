// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "marsim/map/point_cloud.hpp"

namespace marsim::map_tools {

/// Distances [m] from the points of one cloud to the nearest of another.
struct CloudDistances {
  std::vector<float> each;  ///< in the order of the points
  double mean = 0.0;
  double median = 0.0;
  double high = 0.0;  ///< 95 % are smaller
  double largest = 0.0;
};

/// Distances from every point of `from` to its nearest one of `to`; both hold finite points. Throws
/// Error if one is empty.
CloudDistances distancesBetween(const map::PointCloud& from, const map::PointCloud& to);

}  // namespace marsim::map_tools
