#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

namespace marsim::map_tools {

/// The points nearest to some of a cloud's points, nearest first: itself, and so many more as make
/// `count`, or fewer where there are not so many within `farthest` [m]; of points upon one another
/// only one. Without a tree over all
/// points: takes seconds and little memory for 50 million. On all cores; the result does not depend
/// on their number.
std::vector<std::vector<Eigen::Vector3f>> nearestPoints(const std::vector<Eigen::Vector3f>& points,
                                                        const std::vector<std::size_t>& queries,
                                                        std::size_t count, double farthest);

}  // namespace marsim::map_tools
