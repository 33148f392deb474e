#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "image_directions.hpp"
#include "image_footprint.hpp"
#include "marsim/lidar/renderer.hpp"
#include "project_kernel.hpp"

namespace marsim::lidar {

/// A depth image while it is rendered: ImageStrip's arrays.
class ImageFrame {
 public:
  explicit ImageFrame(const ImageGrid& grid);

  const ImageGrid& grid() const { return grid_; }
  const ImageDirections& directions() const { return directions_; }

  /// Some rows, a multiple of tiles from the first on, made ready for a kernel. Everything but the
  /// pose and the tree is set. range_max [m] > 0.
  ImageStrip strip(int first_row, int end_row, float range_max);

 private:
  const ImageGrid grid_;
  const ImageDirections directions_;
  const FootprintFinder footprints_;
  const int tile_stride_;
  std::vector<float> depth_, normal_[3], tile_depth_;
  std::vector<std::uint32_t> surfel_;
  std::vector<std::uint8_t> tile_changed_;
};

/// Frames kept from image to image: most are of one grid, and their directions and memory cost as
/// much as a fast image.
class ImageFrames {
 public:
  std::unique_ptr<ImageFrame> take(const ImageGrid& grid);
  void giveBack(std::unique_ptr<ImageFrame> frame);

 private:
  static constexpr std::size_t kMost = 4;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ImageFrame>> frames_;
};

}  // namespace marsim::lidar
