// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>

#include <Eigen/Core>

#include "marsim/map/point_cloud.hpp"

namespace marsim::map {

/// Points of a file that lie outside the voxel grid about `origin` ([m], in the file's frame).
struct StrayPoints {
  std::size_t count = 0;
  std::size_t total = 0;                            // points of the file, set by the caller
  Eigen::Vector3d first = Eigen::Vector3d::Zero();  // [m] in the file's frame
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();

  /// Counts the stray points of a part of the file: p_file = p_W + cloud_origin.
  void add(const PointCloud& cloud, const Eigen::Vector3d& cloud_origin, double resolution);
};

/// Throws FileError if there are any: their number, the first one and how to drop them.
void requireNoStrayPoints(const StrayPoints& stray, const std::filesystem::path& path,
                          double resolution);

}  // namespace marsim::map
