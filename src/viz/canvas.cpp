#include "canvas.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>

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
  std::error_code ignored;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw FileError(path.string(), "its folder does not exist");
  }
  const std::filesystem::path part = path.string() + ".part";
  const cairo_status_t status = cairo_surface_write_to_png(surface_.get(), part.c_str());
  if (status != CAIRO_STATUS_SUCCESS) {
    std::filesystem::remove(part, ignored);
    throw FileError(path.string(), fmt::format("cannot write: {}", cairo_status_to_string(status)));
  }
  std::error_code failed;
  std::filesystem::rename(part, path, failed);
  if (failed) {
    std::filesystem::remove(part, ignored);
    throw FileError(path.string(), fmt::format("cannot write: {}", failed.message()));
  }
}

}  // namespace marsim::viz
