#pragma once

#include <string>

namespace marsim::lidar {

/// [px] of an image: of a side at most; of all of it (2048 x 2048) unless its file says otherwise;
/// and at most at all. A camera takes some 150 bytes a pixel.
constexpr int kLongestSide = 1 << 13, kUsualMostPixels = 1 << 22, kMostPixels = 1 << 26;

/// Throws ConfigError for `image.width`, `image.height` and `image.most_pixels` [px].
void requireImageSize(const std::string& where, int width, int height, int most_pixels);

}  // namespace marsim::lidar
