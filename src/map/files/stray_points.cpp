// SPDX-License-Identifier: BSD-3-Clause
#include "map/files/stray_points.hpp"

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map {

void StrayPoints::add(const PointCloud& cloud, const Eigen::Vector3d& cloud_origin,
                      double resolution) {
  origin = cloud_origin;
  for (const Eigen::Vector3f& point : cloud.points) {
    if (insideVoxelGrid(point, resolution)) continue;
    if (count++ == 0) first = point.cast<double>() + origin;
  }
}

void requireNoStrayPoints(const StrayPoints& stray, const std::filesystem::path& path,
                          double resolution) {
  if (stray.count == 0) return;
  const Eigen::Vector3d &p = stray.first, &origin = stray.origin;
  throw FileError(
      path.string(),
      fmt::format("{} of its {} points {} too far away, the first at ({:.9g}, {:.9g}, {:.9g}) m, "
                  "allowed: within {:g} m of ({:.9g}, {:.9g}, {:.9g}) m at a resolution of {} m; "
                  "'marsim map {} --within 1000m --out NEW.pcd' drops stray points",
                  stray.count, stray.total, stray.count == 1 ? "lies" : "lie", p.x(), p.y(), p.z(),
                  voxelGridReach(resolution), origin.x(), origin.y(), origin.z(), resolution,
                  path.string()));
}

}  // namespace marsim::map
