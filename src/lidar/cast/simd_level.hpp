// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lidar/cast/cast_kernel.hpp"
#include "lidar/cast/cull_kernel.hpp"
#include "lidar/cast/plant_kernel.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

/// The level itself; for kAuto the one that the environment variable MARSIM_SIMD names, else the
/// best the processor has. Throws ConfigError for a level it lacks, UnknownNameError.
SimdLevel simdLevelFor(SimdLevel level);

/// The traversals for what simdLevelFor() returned.
CastKernel castKernel(SimdLevel level);
PlantKernel plantKernel(SimdLevel level);
const CullKernels& cullKernels(SimdLevel level);

}  // namespace marsim::lidar
