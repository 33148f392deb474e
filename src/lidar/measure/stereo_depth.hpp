#pragma once

#include <cstdint>
#include <vector>

#include "marsim/lidar/depth_camera.hpp"

/// What depth from a pair of images lacks against true depth. The second camera stands a baseline
/// to the right and looks the same way; disparity = fx baseline / depth.
namespace marsim::lidar {

/// Pixels whose place the second camera does not see: a nearer surface is before it, or it lies
/// outside of the second image. `depth` [m] along the axis, row by row; places that are not finite
/// hide nothing and are not hidden.
std::vector<bool> hiddenFromSecond(const DepthCameraConfig& config,
                                   const std::vector<float>& depth);

/// Rounds disparities to multiples of disparity_step; one of 0 is beyond the range.
void quantise(const DepthCameraConfig& config, std::vector<float>& depth);

/// Takes depth away where the grey image varies less than least_contrast.
void dropWithoutTexture(const DepthCameraConfig& config, const std::vector<std::uint8_t>& grey,
                        std::vector<float>& depth);

}  // namespace marsim::lidar
