// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "lidar/cast/cell_scale.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

/// The largest float not above a positive value.
inline float floatBelow(double value) {
  const auto nearest = static_cast<float>(value);
  return static_cast<double>(nearest) > value ? std::nextafter(nearest, 0.0F) : nearest;
}

/// The directions of all cells of an image: ImageGrid::direction from tables, rounded to float, one
/// array per coordinate; rows are padded with NaN to whole tiles and one more.
class ImageDirections {
 public:
  static constexpr int kTile = kImageTile;

  explicit ImageDirections(const ImageGrid& grid);

  std::size_t stride() const { return stride_; }  ///< cells from a row to the next
  std::size_t cell(int row, int column) const {
    return static_cast<std::size_t>(row) * stride_ + static_cast<std::size_t>(column);
  }
  const float* x() const { return x_.data(); }
  const float* y() const { return y_.data(); }
  const float* z() const { return z_.data(); }
  /// As ImageGrid::direction.
  Eigen::Vector3d at(int row, int column) const {
    return compose(projection_, rows_[static_cast<std::size_t>(row)],
                   columns_[static_cast<std::size_t>(column)]);
  }

  /// Part of a row or a column in the directions of its cells.
  struct Share {
    double sine = 0.0, cosine = 0.0;  ///< spherical: of its azimuth or elevation
    double slope = 0.0;               ///< pinhole: coordinate at z = 1
  };
  static Share shareOfRow(const ImageGrid& grid, int row);
  static Share shareOfColumn(const ImageGrid& grid, int column);
  static Eigen::Vector3d compose(ImageGrid::Projection projection, const Share& row,
                                 const Share& column) {
    if (projection == ImageGrid::Projection::kSpherical) {
      return {row.cosine * column.cosine, row.cosine * column.sine, row.sine};
    }
    return Eigen::Vector3d(column.slope, row.slope, 1.0) /
           std::sqrt(column.slope * column.slope + row.slope * row.slope + 1.0);
  }

 private:
  ImageGrid::Projection projection_;
  std::size_t stride_;
  std::vector<Share> rows_, columns_;
  std::vector<float> x_, y_, z_;
};

}  // namespace marsim::lidar
