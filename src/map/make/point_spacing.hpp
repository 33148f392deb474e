// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "marsim/map/load_map.hpp"
#include "marsim/map/point_cloud.hpp"

namespace marsim::map {

/// Share of beams that pass between points at a resolution [m], for points at random with the given
/// spacings [m]: exp(-pi R^2 / s^2), the chance of no point within R of a beam; nearly 0 if holes
/// up to a radius [m] are filled that is larger than 1.9 s.
double sharePassing(const std::vector<double>& spacings, double resolution,
                    double largest_hole = 0.0);

/// [m] The finest of 1, 2, 5 cm, ... at which at most 1 % pass. Spacings must not be empty.
double advisedResolution(const std::vector<double>& spacings);

/// Spacing of a source's points, from the means and weights of its voxels [resolution in m]. Uses a
/// bounded sample of them, the same on every machine.
PointSpacing measureSpacing(const PointCloud& voxels, double resolution, double largest_hole = 0.0);

}  // namespace marsim::map
