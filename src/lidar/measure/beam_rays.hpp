// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "marsim/lidar/beam.hpp"

namespace marsim::lidar {

/// One of the rays that stand for a beam.
struct BeamRay {
  float horizontal, vertical;  ///< [m] left of and above the beam's middle, 1 m ahead
  float weight;                ///< share of the pulse's energy
};

/// The rays of a beam, the middle one first; their weights sum to 1.
///
/// Nine rays are the stencil of Goodin et al., "An Unmanned Ground Vehicle LiDAR Simulator for
/// Vegetation" (Electronics 2018, 7(9):154, section 3.2.1): at the edge of the spot, half as far
/// and in its middle, with equal weights. 7, 19 and 37 are a middle and up to three rings of 6, 12
/// and 18. A round spot has a Gaussian profile whose edge is where the intensity is 1/e^2 of the
/// middle's; a rectangle is evenly bright. Each ring has the energy of the annulus around it.
std::vector<BeamRay> beamRays(const BeamConfig& config);

}  // namespace marsim::lidar
