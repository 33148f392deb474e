// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "map/make/moved_points.hpp"
#include "marsim/common/progress.hpp"

namespace marsim::map {

struct SizeSettings {
  double resolution = 0.0;        ///< [m] r
  double noise = 0.0;             ///< [m]
  bool is_local = false;          ///< noise is measured in each neighbourhood as well
  double offset = 0.0;            ///< [m] of a point from the sheet that it is merged with
  float planar_threshold = 0.0F;  ///< [m]
};

/// Surfels of several sizes for a cloud of means. Voxels of side 2 r are divided into eight down to
/// r / 4 where one disc does not stand for their points: where a plane leaves some of them, or the
/// disc would cover space without points. Points of the smallest voxels that form no sheet become
/// discs as small as their spread and spacing. Scan lines that lie on one plane make sheets. Runs
/// on all cores; the result does not depend on their number.
MergedPoints makeSizedPoints(const PointCloud& cloud, const SizeSettings& settings,
                             Progress& progress);

}  // namespace marsim::map
