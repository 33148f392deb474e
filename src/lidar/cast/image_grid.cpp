// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "lidar/cast/image_directions.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {
namespace {

constexpr int kMaxSide = 1 << 15;  // [cells]

double azimuthOf(const ImageGrid& grid, int column) {
  return grid.azimuth_max - (column + 0.5) * (grid.azimuth_max - grid.azimuth_min) / grid.width;
}

double elevationOf(const ImageGrid& grid, int row) {
  return grid.elevation_max - (row + 0.5) * (grid.elevation_max - grid.elevation_min) / grid.height;
}

}  // namespace

ImageDirections::Share ImageDirections::shareOfColumn(const ImageGrid& grid, int column) {
  if (grid.projection == ImageGrid::Projection::kPinhole) {
    return {0.0, 0.0, (column - grid.cx) / grid.fx};
  }
  const double azimuth = azimuthOf(grid, column);
  return {std::sin(azimuth), std::cos(azimuth), 0.0};
}

ImageDirections::Share ImageDirections::shareOfRow(const ImageGrid& grid, int row) {
  if (grid.projection == ImageGrid::Projection::kPinhole) {
    return {0.0, 0.0, (row - grid.cy) / grid.fy};
  }
  const double elevation = elevationOf(grid, row);
  return {std::sin(elevation), std::cos(elevation), 0.0};
}

Eigen::Vector3d ImageGrid::direction(int row, int column) const {
  return ImageDirections::compose(projection, ImageDirections::shareOfRow(*this, row),
                                  ImageDirections::shareOfColumn(*this, column));
}

void ImageGrid::validate(const std::string& where) const {
  const Validator validator(where);
  validator.within("width", width, 1, kMaxSide, "cells");
  validator.within("height", height, 1, kMaxSide, "cells");
  if (projection == Projection::kPinhole) {
    validator.positive("fx", fx, "px");
    validator.positive("fy", fy, "px");
    validator.finite("cx", cx, "px");
    validator.finite("cy", cy, "px");
    return;
  }
  constexpr double kRounding = 1e-9;
  validator.finite("azimuth_min", azimuth_min, "rad");
  validator.finite("azimuth_max", azimuth_max, "rad");
  const double span = azimuth_max - azimuth_min;
  validator.require(span > 0.0 && span <= 2.0 * kPi + kRounding, "azimuth_max",
                    fmt::format("{}", azimuth_max),
                    fmt::format("more than azimuth_min ({}) by at most 2 pi rad", azimuth_min));
  validator.within("elevation_min", elevation_min, -kPi / 2.0 - kRounding, kPi / 2.0 + kRounding,
                   "rad");
  validator.within("elevation_max", elevation_max, -kPi / 2.0 - kRounding, kPi / 2.0 + kRounding,
                   "rad");
  validator.require(elevation_max > elevation_min, "elevation_max",
                    fmt::format("{}", elevation_max),
                    fmt::format("more than elevation_min ({} rad)", elevation_min));
}

ImageDirections::ImageDirections(const ImageGrid& grid)
    : projection_(grid.projection),
      stride_(static_cast<std::size_t>(((grid.width + kTile - 1) / kTile + 1) * kTile)) {
  const std::size_t size = stride_ * static_cast<std::size_t>(grid.height);
  for (std::vector<float>* axis : {&x_, &y_, &z_}) {
    axis->assign(size, std::numeric_limits<float>::quiet_NaN());
  }
  for (int row = 0; row < grid.height; ++row) rows_.push_back(shareOfRow(grid, row));
  for (int column = 0; column < grid.width; ++column) {
    columns_.push_back(shareOfColumn(grid, column));
  }
  for (int row = 0; row < grid.height; ++row) {
    for (int column = 0; column < grid.width; ++column) {
      const Eigen::Vector3f direction = at(row, column).cast<float>();
      const std::size_t i = cell(row, column);
      x_[i] = direction.x();
      y_[i] = direction.y();
      z_[i] = direction.z();
    }
  }
}

}  // namespace marsim::lidar
