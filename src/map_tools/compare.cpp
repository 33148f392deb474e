// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/compare.hpp"

#include <algorithm>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "common/nth_smallest.hpp"
#include "marsim/common/error.hpp"
#include "marsim/geometry/kd_tree.hpp"

namespace marsim::map_tools {

CloudDistances distancesBetween(const map::PointCloud& from, const map::PointCloud& to) {
  if (from.empty() || to.empty()) throw Error("a cloud without points cannot be compared");
  const KdTree tree(to.points);
  CloudDistances result;
  result.each.resize(from.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, from.size(), 4096),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i != range.end(); ++i) {
                        result.each[i] = tree.nearest(from.points[i]).distance;
                      }
                    });
  for (const float distance : result.each) result.mean += static_cast<double>(distance);
  result.mean /= static_cast<double>(from.size());
  std::vector<float> sorted = result.each;
  const auto at = [&](double share) {
    const auto last = static_cast<double>(sorted.size() - 1);
    return static_cast<double>(nthSmallest(sorted, static_cast<std::size_t>(share * last)));
  };
  result.median = at(0.5);
  result.high = at(0.95);
  result.largest = static_cast<double>(*std::max_element(result.each.begin(), result.each.end()));
  return result;
}

}  // namespace marsim::map_tools
