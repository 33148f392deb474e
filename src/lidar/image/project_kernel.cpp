// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for each instruction set, with MARSIM_SIMD_LEVEL its namespace. Must not include
// anything that defines inline functions or templates with external linkage.

#include "lidar/image/project_kernel.hpp"

#include "lidar/image/image_blend.hpp"
#include "lidar/image/image_walk.hpp"

namespace marsim::lidar::MARSIM_SIMD_LEVEL {

void projectStrip(const map::SurfelTreeView& tree, ImageStrip& strip) {
  if (strip.blending.depth > 0.0F) {
    ImageWalk<true>(tree, strip).run();
    ImageBlend(tree, strip).run();
  } else {
    ImageWalk<false>(tree, strip).run();
  }
  finishNormals(strip);
}

}  // namespace marsim::lidar::MARSIM_SIMD_LEVEL
