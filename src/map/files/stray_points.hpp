#pragma once

#include <cstddef>
#include <filesystem>

#include <Eigen/Core>

#include "marsim/map/point_cloud.hpp"

namespace marsim::map {

/// Points of a file that lie outside the voxel grid about `origin` ([m], in the file's frame).
struct StrayPoints {
  std::size_t count = 0;
  std::size_t total = 0;                            // points of the file
  Eigen::Vector3d first = Eigen::Vector3d::Zero();  // [m] in the file's frame
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
};

/// The stray points of a cloud as it was read: p_file = p_W + origin.
StrayPoints strayPoints(const PointCloud& cloud, const Eigen::Vector3d& origin, double resolution);

/// Throws FileError where there are any: says how many, where the first is and how to drop them.
void requireNoStrayPoints(const StrayPoints& stray, const std::filesystem::path& path,
                          double resolution);

}  // namespace marsim::map
