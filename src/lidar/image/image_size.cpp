// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/image/image_size.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim::lidar {

void declareImageSize(Settings& image, int& width, int& height) {
  constexpr double kMost = 1e9;  // that an int holds
  for (const auto& [key, side] : {std::pair{"width", &width}, {"height", &height}}) {
    double number = *side;
    image.required(key, number, "px", {1.0, 8192.0});
    if (!(number >= 1.0 && number <= kMost) || number != std::floor(number)) {
      image.fail(key, fmt::format("{}", number), "a whole number of 1 or more");
    }
    *side = static_cast<int>(number);
  }
}

void requireImageSize(const std::string& where, int width, int height) {
  constexpr std::int64_t kMostPixels = 1 << 25;  // 33 million
  const Validator check(where);
  check.require(std::int64_t{width} * height <= kMostPixels, "image",
                fmt::format("{} x {} px", width, height),
                fmt::format("up to {} px in all, at some 150 bytes each", kMostPixels));
}

}  // namespace marsim::lidar
