// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "marsim/common/settings.hpp"

namespace marsim::lidar {

/// The settings `width` and `height` [px] of a map `image`.
void declareImageSize(Settings& image, int& width, int& height);
/// Throws ConfigError where an image has more pixels than a machine's memory may hold: a camera
/// takes some 150 bytes a pixel.
void requireImageSize(const std::string& where, int width, int height);

}  // namespace marsim::lidar
