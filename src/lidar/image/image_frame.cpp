#include "lidar/image/image_frame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace marsim::lidar {
namespace {

constexpr int kTile = ImageStrip::kTile;

bool sameGrid(const ImageGrid& a, const ImageGrid& b) {
  const auto fields = [](const ImageGrid& g) {
    return std::make_tuple(g.projection, g.width, g.height, g.azimuth_min, g.azimuth_max,
                           g.elevation_min, g.elevation_max, g.fx, g.fy, g.cx, g.cy);
  };
  return fields(a) == fields(b);
}

}  // namespace

ImageFrame::ImageFrame(const ImageGrid& grid)
    : grid_(grid),
      directions_(grid),
      footprints_(grid),
      tile_stride_(static_cast<int>(directions_.stride()) / kTile + 1),
      depth_(directions_.stride() * static_cast<std::size_t>(grid.height)),
      surfel_(depth_.size()) {
  const auto tile_rows = static_cast<std::size_t>((grid.height + kTile - 1) / kTile);
  tile_depth_.resize(tile_rows * static_cast<std::size_t>(tile_stride_));
  tile_changed_.resize(tile_depth_.size());
  for (std::vector<float>& axis : normal_) axis.resize(depth_.size());
}

ImageStrip ImageFrame::strip(int first_row, int end_row, float range_max) {
  // Just above the maximum, which counts.
  const float empty = std::nextafter(range_max, std::numeric_limits<float>::infinity());
  const auto cellAt = [&](int row, int column) {
    return static_cast<std::ptrdiff_t>(directions_.cell(row, column));
  };
  for (int row = first_row; row < end_row; ++row) {
    const auto begin = depth_.begin() + cellAt(row, 0);
    std::fill(begin, begin + grid_.width, empty);
    std::fill(begin + grid_.width, depth_.begin() + cellAt(row + 1, 0), -1.0F);
  }
  std::fill(surfel_.begin() + cellAt(first_row, 0), surfel_.begin() + cellAt(end_row, 0),
            ImageStrip::kNothing);
  const auto tileAt = [&](int row) { return row * static_cast<std::ptrdiff_t>(tile_stride_); };
  const int first_tile = first_row / kTile, end_tile = (end_row + kTile - 1) / kTile;
  std::fill(tile_depth_.begin() + tileAt(first_tile), tile_depth_.begin() + tileAt(end_tile),
            empty);
  std::fill(tile_changed_.begin() + tileAt(first_tile), tile_changed_.begin() + tileAt(end_tile),
            std::uint8_t{0});

  ImageStrip strip{};
  strip.first_row = first_row;
  strip.end_row = end_row;
  strip.width = grid_.width;
  strip.height = grid_.height;
  strip.stride = static_cast<int>(directions_.stride());
  const float* directions[3] = {directions_.x(), directions_.y(), directions_.z()};
  for (int axis = 0; axis < 3; ++axis) {
    strip.direction[axis] = directions[axis];
    strip.normal[axis] = normal_[axis].data();
  }
  strip.depth = depth_.data();
  strip.surfel = surfel_.data();
  strip.tile_depth = tile_depth_.data();
  strip.tile_changed = tile_changed_.data();
  strip.tile_stride = tile_stride_;
  strip.range_max = range_max;
  footprints_.describe(strip);
  return strip;
}

void placeSensor(const Pose& X_WS, const Eigen::Vector3d& origin, ImageStrip& strip) {
  const Eigen::Vector3d eye = X_WS.p - origin;
  const Eigen::Matrix3f R_WS = X_WS.q.toRotationMatrix().cast<float>();
  for (int axis = 0; axis < 3; ++axis) {
    strip.eye[axis] = static_cast<float>(eye[axis]);
    strip.eye_rest[axis] = static_cast<float>(eye[axis] - static_cast<double>(strip.eye[axis]));
    for (int i = 0; i < 3; ++i) strip.R_SW[axis][i] = R_WS(i, axis);
  }
}

std::unique_ptr<ImageFrame> FramePool::take(const ImageGrid& grid) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const auto& one) { return sameGrid(one->grid(), grid); });
    if (found != kept_.end()) {
      std::unique_ptr<ImageFrame> frame = std::move(*found);
      kept_.erase(found);
      return frame;
    }
  }
  return std::make_unique<ImageFrame>(grid);
}

void FramePool::giveBack(std::unique_ptr<ImageFrame> frame) {
  constexpr std::size_t kMost = 4;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (kept_.size() == kMost) kept_.erase(kept_.begin());
  kept_.push_back(std::move(frame));
}

}  // namespace marsim::lidar
