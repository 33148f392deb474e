// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include <cairo.h>

namespace marsim::viz {

/// A picture in memory on which cairo draws.
class Canvas {
 public:
  /// `pixels`: row by row, cairo's RGB24 (native 0x00RRGGBB).
  Canvas(int width, int height, std::vector<std::uint32_t> pixels);

  int width() const { return width_; }
  int height() const { return height_; }
  cairo_t* context() { return context_.get(); }
  /// The picture so far.
  const std::vector<std::uint32_t>& pixels();
  /// Written to a temporary file beside its place and moved there, so that a failed write leaves no
  /// half picture. Throws FileError.
  void writePng(const std::filesystem::path& path);

 private:
  int width_, height_;
  std::vector<std::uint32_t> pixels_;
  std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface_;
  std::unique_ptr<cairo_t, decltype(&cairo_destroy)> context_;
};

}  // namespace marsim::viz
