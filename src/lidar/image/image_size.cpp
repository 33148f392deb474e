#include "lidar/image/image_size.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim::lidar {

void requireImageSize(const std::string& where, int width, int height) {
  constexpr int kLongestSide = 8192;             // [px]
  constexpr std::int64_t kMostPixels = 1 << 25;  // 33 million
  const Validator check(where);
  check.within("image.width", width, 1, kLongestSide, "px");
  check.within("image.height", height, 1, kLongestSide, "px");
  check.require(std::int64_t{width} * height <= kMostPixels, "image",
                fmt::format("{} x {} px", width, height),
                fmt::format("up to {} px in all, at some 150 bytes each", kMostPixels));
}

}  // namespace marsim::lidar
