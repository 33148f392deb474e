// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include "lidar/cast/cell_scale.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

/// Cells that a ball can cover: some rows of one or two runs of columns, ends included.
struct Footprint {
  struct Run {
    int first, last;
  };
  int first_row = 0, last_row = -1;
  int run_count = 0;
  Run runs[2] = {};

  bool empty() const { return run_count == 0 || last_row < first_row; }
};

/// Finds the cells whose centre rays may meet a ball: never too few, at most a fraction of a cell
/// too many at each side. Spherical footprints wrap round the seam and cover all columns if the
/// ball holds a pole; a ball that holds the sensor covers the image.
class FootprintFinder {
 public:
  explicit FootprintFinder(const ImageGrid& grid);

  /// `centre` [m] in the sensor (camera) frame, `radius` [m] > 0.
  Footprint of(const Eigen::Vector3f& centre, float radius) const;
  const CellScale& scale() const { return scale_; }

 private:
  Footprint whole() const;
  Footprint spherical(const Eigen::Vector3f& centre, float radius) const;
  Footprint pinhole(const Eigen::Vector3f& centre, float radius) const;
  bool outsidePinhole(const Eigen::Vector3f& centre, float radius) const;

  CellScale scale_{};
  int width_, height_;
  Eigen::Vector3f sides_[4];  // pinhole: inward normals of the sides of the image's cone
};

}  // namespace marsim::lidar
