#pragma once

#include <cstddef>
#include <vector>

#include "marsim/map/point_cloud.hpp"

namespace marsim::map_tools {

/// Distances [m] from the points of one cloud to the nearest of another.
struct CloudDistances {
  std::vector<float> each;  ///< by the points' order
  double mean = 0.0;
  double median = 0.0;
  double high = 0.0;  ///< 95 of 100 are smaller
  double largest = 0.0;
};

/// From every point of `from` to its nearest of `to`; both hold finite points. Throws Error where
/// one is empty.
CloudDistances distancesBetween(const map::PointCloud& from, const map::PointCloud& to);

}  // namespace marsim::map_tools
