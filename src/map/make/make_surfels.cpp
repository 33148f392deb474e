// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "map/make/noise_aware.hpp"
#include "map/make/reflectivity.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map {
namespace {

/// Surface::kPaper: normal and thickness of every voxel's mean (Kong et al., section III).
SurfelSet makePaperSurfels(PointCloud&& voxels, const SurfelMapConfig& config, Progress& progress) {
  SurfelSet set;
  set.surfels = estimateSurfels(voxels, config.normal_radius_factor * config.resolution, progress);
  set.channels = toSurfelChannels(std::move(voxels), config.intensity_full_scale);
  set.planar_threshold = static_cast<float>(config.planar_factor * config.resolution);
  return set;
}

}  // namespace

SurfelSet makeSurfels(PointCloud&& voxels, double measured_noise, const SurfelMapConfig& config,
                      Progress& progress) {
  PointCloud cloud = std::move(voxels);  // freed when the surfels are made
  switch (config.surface) {
    case Surface::kPaper:
      return makePaperSurfels(std::move(cloud), config, progress);
    case Surface::kBlended:
    case Surface::kSized:
      break;
  }
  return makeNoiseAwareSurfels(std::move(cloud), measured_noise, config, progress);
}

}  // namespace marsim::map
