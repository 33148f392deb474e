#pragma once

#include "lidar/cast/cast_kernel.hpp"
#include "lidar/cast/cull_kernel.hpp"
#include "lidar/cast/plant_kernel.hpp"
#include "marsim/lidar/renderer.hpp"

/// A function or table that is compiled for several instruction sets: the one for `level`, which
/// simdLevelFor() returned.
#ifdef MARSIM_HAS_X86_KERNELS
#define MARSIM_KERNEL_FOR(level, kernel)                \
  ((level) == SimdLevel::kAvx2       ? avx2::kernel     \
   : (level) == SimdLevel::kBaseline ? baseline::kernel \
                                     : portable::kernel)
#else
#define MARSIM_KERNEL_FOR(level, kernel) (static_cast<void>(level), portable::kernel)
#endif

namespace marsim::lidar {

/// The level itself; for kAuto the one that the environment variable MARSIM_SIMD names, else the
/// best the processor has. Throws ConfigError for a level it lacks, UnknownNameError.
SimdLevel simdLevelFor(SimdLevel level);

/// The traversals for what simdLevelFor() returned.
CastKernel castKernel(SimdLevel level);
PlantKernel plantKernel(SimdLevel level);
const CullKernels& cullKernels(SimdLevel level);

}  // namespace marsim::lidar
