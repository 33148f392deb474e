#pragma once

#include <Eigen/Core>

#include "lidar/image/project_kernel.hpp"
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
  /// Sets the fields of a strip that do the same for eight balls at a time, valid while this object
  /// lives.
  void describe(ImageStrip& strip) const;

 private:
  Footprint whole() const;
  Footprint spherical(const Eigen::Vector3f& centre, float radius) const;
  Footprint pinhole(const Eigen::Vector3f& centre, float radius) const;
  bool outsidePinhole(const Eigen::Vector3f& centre, float radius) const;

  ImageGrid::Projection projection_;
  int width_, height_;
  // Spherical: cells a radian, columns a turn, angles of the left and top edges [rad].
  float columns_per_rad_ = 0.0F, rows_per_rad_ = 0.0F, columns_per_turn_ = 0.0F;
  float left_ = 0.0F, top_ = 0.0F;
  // Pinhole: intrinsics [px] and inward normals of the four sides of the image's cone.
  float fx_ = 0.0F, fy_ = 0.0F, cx_ = 0.0F, cy_ = 0.0F;
  Eigen::Vector3f sides_[4];
};

}  // namespace marsim::lidar
