// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "marsim/map/load_map.hpp"
#include "marsim/map/point_cloud.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map {

/// Share of beams that pass between points at a resolution [m], for points at random with the given
/// spacings [m]: exp(-pi R^2 / s^2), the chance of no point within R of a beam; nearly 0 if holes
/// up to a radius [m] are filled that is larger than 1.9 s.
double sharePassing(const std::vector<double>& spacings, double resolution,
                    double largest_hole = 0.0);

/// [m] The finest of 1, 2, 5 cm, ... at which at most 1 % pass. Spacings must not be empty.
double advisedResolution(const std::vector<double>& spacings);

/// A place on a surface between points, where a beam along the normal should return.
struct SheetProbe {
  Eigen::Vector3f place = Eigen::Vector3f::Zero();    ///< [m] in W
  Eigen::Vector3f normal = Eigen::Vector3f::UnitZ();  ///< unit
  float area = 0.0F;                                  ///< [m^2] of the surface that it stands for
};

/// Share of the probes' area where a beam meets no surfel.
double shareOpen(const std::vector<SheetProbe>& probes, const SurfelMap& map);

/// Spacing of a source's points, from the means and weights of its voxels [resolution in m]. Uses a
/// bounded sample of them, the same on every machine. Where scan lines lie farther apart than the
/// points of a line, the lines' spacing counts. Appends probes of flat surfaces.
PointSpacing measureSpacing(const PointCloud& voxels, double resolution, double largest_hole = 0.0,
                            std::vector<SheetProbe>* probes = nullptr);

}  // namespace marsim::map
