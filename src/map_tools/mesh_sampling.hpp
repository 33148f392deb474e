// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "map_tools/sources.hpp"

namespace marsim::map_tools {

/// Settings of sampleMesh.
struct SamplingConfig {
  double resolution = 0.1;  ///< [m] largest distance of a surface's point from the nearest sample
  std::uint64_t seed = 1;
};

/// Area of all triangles.
double areaOf(const Mesh& mesh);

/// Samples the triangles evenly by area, whatever their sizes (Poisson disks, Cook, "Stochastic
/// sampling in computer graphics", 1986; in blocks, whose eight groups are sampled in turn, each on
/// all cores, Wei, "Parallel Poisson disk sampling", 2008): samples of a surface are at least 0.6
/// resolutions apart, and every point of it is within the resolution of a sample. Surfaces closer
/// together than 0.3 resolutions share their samples. `take` gets the samples block by block, when
/// all are made. The same for the same seed, whatever the number of cores. Throws Error if there
/// would be more than 500 million.
void sampleMesh(const Mesh& mesh, const SamplingConfig& config, Progress& progress,
                const TakePoints& take);

}  // namespace marsim::map_tools
