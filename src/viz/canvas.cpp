// SPDX-License-Identifier: BSD-3-Clause
#include "viz/canvas.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "marsim/common/error.hpp"

namespace marsim::viz {

Canvas::Canvas(int width, int height, std::vector<std::uint32_t> pixels)
    : width_(width),
      height_(height),
      pixels_(std::move(pixels)),
      surface_(cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(pixels_.data()),
                                                   CAIRO_FORMAT_RGB24, width, height, 4 * width),
               cairo_surface_destroy),
      context_(cairo_create(surface_.get()), cairo_destroy) {}

const std::vector<std::uint32_t>& Canvas::pixels() {
  cairo_surface_flush(surface_.get());
  return pixels_;
}

void Canvas::writePng(const std::filesystem::path& path) {
  cairo_surface_flush(surface_.get());
  std::string png;
  const auto append = [](void* closure, const unsigned char* data, unsigned length) {
    static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
  };
  const cairo_status_t status = cairo_surface_write_to_png_stream(surface_.get(), append, &png);
  if (status != CAIRO_STATUS_SUCCESS) {
    throw FileError(path.string(), fmt::format("cannot write: {}", cairo_status_to_string(status)));
  }
  requireExtension(path, {".png"});
  writeFile(path, png);
}

}  // namespace marsim::viz
