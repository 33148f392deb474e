#pragma once

#include "cast_kernel.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

/// The traversal for a level; kAuto: what the environment variable MARSIM_SIMD names, else the
/// best the processor has. Throws ConfigError for a level it lacks, UnknownNameError.
CastKernel castKernel(SimdLevel level);

}  // namespace marsim::lidar
