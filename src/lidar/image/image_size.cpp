#include "marsim/lidar/image_size.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim::lidar {

void requireImageSize(const std::string& where, int width, int height, int most_pixels) {
  const Validator check(where);
  check.within("image.width", width, 1, kLongestSide, "px");
  check.within("image.height", height, 1, kLongestSide, "px");
  check.within("image.most_pixels", most_pixels, 1, kMostPixels, "px");
  const std::int64_t pixels = std::int64_t{width} * height;
  check.require(pixels <= most_pixels, "image", fmt::format("{} x {} px", width, height),
                fmt::format("up to {} px in all (a D435i's depth has 1280 x 720), more with "
                            "image.most_pixels, at some 150 bytes each",
                            most_pixels));
}

}  // namespace marsim::lidar
