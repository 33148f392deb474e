// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/png.hpp"

#include <algorithm>
#include <cmath>
#include <csetjmp>

#include <png.h>

#include "marsim/common/error.hpp"

namespace marsim::dataset {
namespace {

// Pixels row by row, numbers of 16 bits with the low byte first.
struct Pixels {
  const std::uint8_t* bytes;
  std::size_t row_size;  // [bytes]
  int width, height;
  int bits;  // of a channel
  bool is_grey, is_bgr;
};

void append(png_structp png, png_bytep data, std::size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
}

std::string pngOf(const Pixels& pixels) {
  constexpr int kQuick = 1;
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  // libpng reports errors by a long jump to here; no object is made below.
  if (info == nullptr || setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_write_struct(&png, &info);
    throw Error("libpng cannot pack an image: no memory");
  }
  png_set_write_fn(png, &bytes, append, nullptr);
  png_set_compression_level(png, kQuick);
  png_set_compression_strategy(png, 0);  // zlib's default
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
  png_set_IHDR(png, info, static_cast<png_uint_32>(pixels.width),
               static_cast<png_uint_32>(pixels.height), pixels.bits,
               pixels.is_grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if (pixels.bits == 16) png_set_swap(png);
  if (pixels.is_bgr) png_set_bgr(png);
  for (int row = 0; row < pixels.height; ++row) {
    png_write_row(png, pixels.bytes + static_cast<std::size_t>(row) * pixels.row_size);
  }
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

std::uint16_t stepsOf(float depth, double steps_a_metre) {
  const double steps = std::round(static_cast<double>(depth) * steps_a_metre);
  return steps >= 1.0 && steps <= 65535.0 ? static_cast<std::uint16_t>(steps) : 0;
}

}  // namespace

std::string depthPng(const std::vector<float>& depth, int width, double steps_a_metre) {
  std::vector<std::uint16_t> steps(depth.size());
  std::transform(depth.begin(), depth.end(), steps.begin(),
                 [&](float z) { return stepsOf(z, steps_a_metre); });
  return greyPng(steps, width);
}

std::string greyPng(const std::vector<std::uint16_t>& pixels, int width) {
  const auto columns = static_cast<std::size_t>(width);
  return pngOf({reinterpret_cast<const std::uint8_t*>(pixels.data()), 2 * columns, width,
                static_cast<int>(pixels.size() / columns), 16, true, false});
}

std::string imagePng(const std::vector<std::uint8_t>& pixels, int width,
                     lidar::ImageEncoding encoding) {
  const std::size_t row_size = lidar::bytesOf(encoding) * static_cast<std::size_t>(width);
  return pngOf({pixels.data(), row_size, width, static_cast<int>(pixels.size() / row_size), 8,
                encoding == lidar::ImageEncoding::kMono8, encoding == lidar::ImageEncoding::kBgr8});
}

}  // namespace marsim::dataset
