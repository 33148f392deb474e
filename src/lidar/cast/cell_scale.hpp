// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace marsim::lidar {

constexpr int kImageTile = 8;          ///< cells of the side of an image's tile
constexpr float kPiF = 3.14159265F;    ///< single precision
constexpr float kAngleMargin = 3e-5F;  ///< [rad] above the error of approximated angles
constexpr float kCellMargin = 0.02F;   ///< [cells] above the rounding of cell coordinates

/// Turns directions into cells of an image. Plain declarations only, as in cast_kernel.hpp.
struct CellScale {
  bool spherical;
  float columns_per_rad, rows_per_rad, columns_per_turn;  ///< spherical
  float left, top;                                        ///< [rad] angles of the edges
  float fx, fy, cx, cy;                                   ///< [px] pinhole: intrinsics
};

}  // namespace marsim::lidar
