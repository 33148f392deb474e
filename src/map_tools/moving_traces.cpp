// SPDX-License-Identifier: BSD-3-Clause
#include <tbb/parallel_for.h>

#include "map/tree/beam_evidence.hpp"
#include "map_tools/clean.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/surfel_search.hpp"

namespace marsim::map_tools {

map::PointCloud removeMovingTraces(const map::PointCloud& cloud, const ForEachScan& scans,
                                   const TraceConfig& config, TraceReport& report) {
  TraceConfig::kVoxels.require("", "voxel", config.voxel, "m");
  map::SurfelMapConfig making;
  making.resolution = config.voxel;
  making.hole_radius = 0.0;
  map::PointCloud points;
  points.points = cloud.points;
  const map::SurfelMap surfels = map::SurfelMap::build(points, making);
  map::BeamEvidence evidence(surfels);
  scans([&](const Keyframe& keyframe) {
    evidence.add(keyframe.cloud);
    ++report.scans;
  });
  for (std::size_t i = 0; i < surfels.size(); ++i) report.surfels += evidence.isLeftOut(i) ? 1 : 0;
  std::vector<std::uint8_t> is_trace(cloud.size());
  tbb::parallel_for(std::size_t{0}, cloud.size(), [&](std::size_t i) {
    const Eigen::Vector3d p_O = cloud.points[i].cast<double>() - surfels.origin();
    map::FoundSurfel nearest;
    map::nearestSurfel(surfels.tree(), p_O, 10.0 * config.voxel, nearest);
    is_trace[i] = evidence.isLeftOut(nearest.number) ? 1 : 0;
  });
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (is_trace[i] == 0) numbers.push_back(static_cast<std::uint32_t>(i));
  }
  return map::selectPoints(cloud, numbers);
}

}  // namespace marsim::map_tools
