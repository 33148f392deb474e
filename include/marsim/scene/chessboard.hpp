// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include "marsim/common/settings.hpp"

namespace marsim::scene {

/// A pattern of dark and light square cells on the front of a plate. In the plate's frame M the
/// front is the plane x = 0, seen against x, with y to the right and z up; the pattern's middle is
/// the origin. Light surrounds the pattern.
class Print {
 public:
  /// `dark`: one for each cell, row by row from the bottom, from left to right. `side` [m]: of a
  /// cell.
  Print(int columns, int rows, double side, const std::vector<bool>& dark);

  /// The dark share of the rectangle with its middle at (y, z) and these half sides, all in m:
  /// exact. Half sides are more than 0.
  double darkShare(const Eigen::Vector2d& middle, const Eigen::Vector2d& half) const;

 private:
  double darkBelow(double column, double row) const;

  int columns_, rows_;
  double side_;
  std::vector<double> sums_;  // dark cells left of and below each corner of the cells
};

/// A flat chessboard for the calibration of cameras, in the frame M of its plate (see Print). The
/// square at the bottom left is dark.
struct Chessboard {
  int columns = 9, rows = 6;  ///< inner corners in a row, in a column
  double square = 0.08;       ///< [m] side of a square
  double margin = 0.08;       ///< [m] light border around the squares

  void declare(Settings& settings);
  double width() const { return (columns + 1) * square + 2.0 * margin; }
  double height() const { return (rows + 1) * square + 2.0 * margin; }
  double diagonal() const;
  Print print() const;
  /// [m] Inner corners in M, row by row from the top, from left to right: the order of OpenCV's
  /// findChessboardCorners, or its reverse.
  std::vector<Eigen::Vector3d> corners() const;
};

}  // namespace marsim::scene
