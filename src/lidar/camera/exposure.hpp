#pragma once

#include <cstdint>
#include <vector>

#include "lidar/camera/surface_shader.hpp"
#include "lidar/cast/workers.hpp"

namespace marsim::lidar {

/// The bytes that a camera makes of the light its pixels take in: exposure, gain, shot and read
/// noise, sRGB's transfer function. `key` decides the noise, together with the pixel.
std::vector<std::uint8_t> expose(const std::vector<Radiance>& radiances, const CameraConfig& config,
                                 std::uint64_t key, const Workers& workers);

}  // namespace marsim::lidar
