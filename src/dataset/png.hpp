// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "marsim/lidar/camera.hpp"

namespace marsim::dataset {

/// A depth image as a PNG file of 16-bit grey: `steps_a_metre` whole steps a metre, 0 if nothing
/// was measured or it does not fit. Rows of `width`, from the top.
std::string depthPng(const std::vector<float>& depth, int width, double steps_a_metre);

/// An image as a PNG file of 16-bit grey.
std::string greyPng(const std::vector<std::uint16_t>& pixels, int width);

/// A camera's image as a PNG file of 8 bits: grey for mono8, else red, green and blue.
std::string imagePng(const std::vector<std::uint8_t>& pixels, int width,
                     lidar::ImageEncoding encoding);

}  // namespace marsim::dataset
