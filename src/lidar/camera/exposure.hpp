// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "lidar/camera/surface_shader.hpp"
#include "lidar/cast/workers.hpp"

namespace marsim::lidar {

/// Turns the light of an image's pixels into bytes: exposure, gain, shot and read noise, sRGB's
/// transfer function. `key` and the pixel decide the noise.
std::vector<std::uint8_t> expose(const std::vector<Radiance>& radiances, const CameraConfig& config,
                                 std::uint64_t key, const Workers& workers);

}  // namespace marsim::lidar
