// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include "marsim/common/settings.hpp"

namespace marsim::scene {

/// A pattern of dark and light rectangular cells on the front of a plate. In the plate's frame M
/// the front is the plane x = 0, seen against x, with y to the right and z up. Light surrounds the
/// pattern.
class Print {
 public:
  /// `y`, `z` [m]: lines between the columns and between the rows of cells, the outer ones
  /// included, ascending. `dark`: one for each cell, row by row from the bottom, from left to
  /// right.
  Print(std::vector<double> y, std::vector<double> z, const std::vector<bool>& dark);

  /// The dark share of the rectangle with its middle at (y, z) and these half sides, all in m:
  /// exact. Half sides are more than 0.
  double darkShare(const Eigen::Vector2d& middle, const Eigen::Vector2d& half) const;

 private:
  double darkBelow(double y, double z) const;

  std::vector<double> y_, z_;
  std::vector<double> sums_;  // [m^2] dark area left of and below each corner of the cells
};

/// A flat target for the calibration of cameras, in the frame M of its plate (see Print). The
/// middle of the plate is the origin.
struct CalibrationTarget {
  virtual ~CalibrationTarget() = default;
  virtual void declare(Settings& settings) = 0;
  /// [m] Width and height of the plate.
  virtual Eigen::Vector2d size() const = 0;
  virtual Print print() const = 0;
  /// Corners in a row of `corners()`.
  virtual int cornerColumns() const = 0;
  /// [m] Corners in M that detectors find, row by row, from left to right.
  virtual std::vector<Eigen::Vector3d> corners() const = 0;
};

/// A chessboard. The square at the bottom left is dark. Corners are the inner ones, row by row from
/// the top: the order of OpenCV's findChessboardCorners, or its reverse.
struct Chessboard final : CalibrationTarget {
  int columns = 9, rows = 6;  ///< inner corners in a row, in a column
  double square = 0.08;       ///< [m] side of a square
  double margin = 0.08;       ///< [m] light border around the squares

  void declare(Settings& settings) override;
  Eigen::Vector2d size() const override;
  Print print() const override;
  int cornerColumns() const override { return columns; }
  std::vector<Eigen::Vector3d> corners() const override;
};

/// A grid of AprilTags as Kalibr defines and prints it: tags of the family tag36h11 with a dark
/// border two cells wide, and dark squares in the corners between the tags. Tag 0 is at the bottom
/// left; numbers run along the rows, then upwards. Corners are the tags' outer corners, row by row
/// from the bottom.
struct AprilGrid final : CalibrationTarget {
  static constexpr int kMostTags = 587;  ///< tags of the family

  int tag_columns = 6, tag_rows = 6;
  double tag_size = 0.088;   ///< [m] side of a tag with its border
  double tag_spacing = 0.3;  ///< space between tags as a share of their side
  double margin = 0.04;      ///< [m] light border around the outer dark squares

  void declare(Settings& settings) override;
  Eigen::Vector2d size() const override;
  Print print() const override;
  int cornerColumns() const override { return 2 * tag_columns; }
  std::vector<Eigen::Vector3d> corners() const override;

 private:
  std::vector<double> lines(int tags) const;
};

}  // namespace marsim::scene
