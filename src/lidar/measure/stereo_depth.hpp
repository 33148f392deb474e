// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "marsim/lidar/depth_camera.hpp"

/// Errors of depth from a pair of images against true depth. The second camera stands a baseline to
/// the right and looks the same way; disparity = fx baseline / depth.
namespace marsim::lidar {

/// Pixels whose place the second camera does not see: behind a nearer surface, or outside the
/// second image. `depth` [m] along the axis, row by row; places that are not finite hide nothing
/// and are not hidden.
std::vector<bool> hiddenFromSecond(const DepthCameraConfig& config,
                                   const std::vector<float>& depth);

/// Rounds disparities to multiples of disparity_step; a disparity of 0 is beyond the range.
void quantise(const DepthCameraConfig& config, std::vector<float>& depth);

/// Standard normal deviates of an image's pixels, row by row, that are means of white ones over the
/// window of the matcher; `key` decides them.
std::vector<float> matchingErrors(const DepthCameraConfig& config, std::uint64_t key);

/// Removes depth where the grey image varies less than least_contrast.
void dropWithoutTexture(const DepthCameraConfig& config, const std::vector<std::uint8_t>& grey,
                        std::vector<float>& depth);

}  // namespace marsim::lidar
