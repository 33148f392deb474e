#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "lidar/image/image_directions.hpp"
#include "lidar/image/image_footprint.hpp"
#include "lidar/image/project_kernel.hpp"
#include "marsim/lidar/renderer.hpp"

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

/// Sets where the sensor of an image is; `origin` [m]: of the tree, in W.
void placeSensor(const Pose& X_WS, const Eigen::Vector3d& origin, ImageStrip& strip);

/// Frames kept from image to image: most are of one grid, whose directions and memory cost as much
/// as a fast image.
class FramePool {
 public:
  /// Nobody else has it until it is given back.
  std::unique_ptr<ImageFrame> take(const ImageGrid& grid);
  void giveBack(std::unique_ptr<ImageFrame> frame);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<ImageFrame>> kept_;
};

}  // namespace marsim::lidar
