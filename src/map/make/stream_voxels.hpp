// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>

#include "marsim/common/progress.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::map {

class NoiseSample;

/// Memory for points while a source is downsampled. The total stays below 300 MB and 100 bytes a
/// voxel.
struct StreamBudget {
  std::size_t base = std::size_t{160} << 20;  ///< [bytes]
  std::size_t per_voxel = 80;                 ///< [bytes]
};

/// The voxel means of a PCD or PLY file, bit for bit those of downsample(loadCloud(path).cloud,
/// resolution), without ever holding all points. If they exceed the budget the file is read once to
/// survey it, then once for each range of voxels whose points fit. An intensity that is the same
/// everywhere is left out. `noise_sample`, if any, is given all points. Throws as those two
/// functions do.
PointCloud streamVoxels(const std::filesystem::path& path, double resolution, MapSource& source,
                        Progress& progress, const StreamBudget& budget = {},
                        NoiseSample* noise_sample = nullptr);

}  // namespace marsim::map
