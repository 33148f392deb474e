#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "lidar/image/image_directions.hpp"
#include "lidar/image/image_footprint.hpp"
#include "lidar/image/project_kernel.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

/// [m] Finer maps have so many surfels a cell that casting a ray through each cell is quicker.
constexpr double kFinestProjected = 0.05;

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

bool sameGrid(const ImageGrid& a, const ImageGrid& b);

/// What belongs to a grid, kept from image to image: most are of one grid, and directions and
/// memory cost as much as a fast image. `T` is made of a grid and tells it by grid().
template <class T>
class GridPool {
 public:
  /// Nobody else has it until it is given back.
  template <class Make>
  std::unique_ptr<T> take(const ImageGrid& grid, const Make& make) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = std::find_if(kept_.begin(), kept_.end(),
                                      [&](const auto& one) { return sameGrid(one->grid(), grid); });
      if (found != kept_.end()) {
        std::unique_ptr<T> one = std::move(*found);
        kept_.erase(found);
        return one;
      }
    }
    return make();
  }
  void giveBack(std::unique_ptr<T> one) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kept_.size() == kMost) kept_.erase(kept_.begin());
    kept_.push_back(std::move(one));
  }

 private:
  static constexpr std::size_t kMost = 4;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> kept_;
};

}  // namespace marsim::lidar
