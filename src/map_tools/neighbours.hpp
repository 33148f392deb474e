// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

namespace marsim::map_tools {

/// The neighbours of some of a cloud's points, nearest first: the point itself and others, `count`
/// in all, or fewer if there are not as many within `farthest` [m]; coincident points count once.
/// Works without a tree over all points: takes seconds and little memory for 50 million. On all
/// cores; the result does not depend on their number.
std::vector<std::vector<Eigen::Vector3f>> nearestPoints(const std::vector<Eigen::Vector3f>& points,
                                                        const std::vector<std::size_t>& queries,
                                                        std::size_t count, double farthest);

}  // namespace marsim::map_tools
