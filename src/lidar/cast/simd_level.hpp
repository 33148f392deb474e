#pragma once

#include "lidar/camera/shade_kernel.hpp"
#include "lidar/cast/cast_kernel.hpp"
#include "lidar/cast/cull_kernel.hpp"
#include "lidar/cast/plant_kernel.hpp"
#include "lidar/image/project_kernel.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

/// The traversals for a level; kAuto: the one that MARSIM_SIMD names, else the processor's fastest.
/// Throws ConfigError for a level it lacks, UnknownNameError.
CastKernel castKernel(SimdLevel level);
ProjectKernel projectKernel(SimdLevel level);
PlantKernel plantKernel(SimdLevel level);
ShadeKernel shadeKernel(SimdLevel level);
/// The kernels of the same level as a traversal.
const CullKernels& cullKernelsOf(CastKernel kernel);

}  // namespace marsim::lidar
