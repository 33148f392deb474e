#pragma once

#include <string>

namespace marsim::lidar {

/// Throws ConfigError for `image.width`, `image.height` [px] and their product, which memory
/// limits: a camera takes some 150 bytes a pixel.
void requireImageSize(const std::string& where, int width, int height);

}  // namespace marsim::lidar
