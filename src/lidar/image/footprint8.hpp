// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lidar/cast/vector8.hpp"
#include "lidar/image/project_kernel.hpp"

/// The cells of eight balls at once: as image_footprint.hpp, for balls far from poles, seam and
/// sensor.
namespace marsim::lidar {
namespace {

struct Footprints8 {
  Int8 first_row, last_row, first_column, last_column;  // within the strip; possibly empty
  unsigned irregular;  // bit i: ball i needs ImageStrip::footprint, its cells here are undefined
};

// The footprints of eight balls, one by one.
class Footprints {
 public:
  Footprints(const ImageStrip& image, const Footprints8& cells, const Float8* centre, Float8 radius)
      : image_(image), irregular_(cells.irregular) {
    store8(first_row_, cells.first_row);
    store8(last_row_, cells.last_row);
    store8(first_column_, cells.first_column);
    store8(last_column_, cells.last_column);
    if (irregular_ == 0) return;
    for (int axis = 0; axis < 3; ++axis) store8(centre_[axis], centre[axis]);
    store8(radius_, radius);
  }

  // Up to two ranges; returns their number.
  int get(int i, CellRange* ranges) const {
    if ((irregular_ >> i & 1U) == 0) {
      ranges[0] = {first_row_[i], last_row_[i], first_column_[i], last_column_[i]};
      return 1;
    }
    const float centre[3] = {centre_[0][i], centre_[1][i], centre_[2][i]};
    return image_.footprint(image_, centre, radius_[i], ranges);
  }

 private:
  const ImageStrip& image_;
  const unsigned irregular_;
  std::int32_t first_row_[8], last_row_[8], first_column_[8], last_column_[8];
  float centre_[3][8], radius_[8];
};

inline Float8 copySign(Float8 size, Float8 sign) {
  return asFloat((asInt(size) & 0x7fffffff) | (asInt(sign) & static_cast<int>(0x80000000U)));
}

// Whole numbers of intervals, clipped to [0, size - 1]; `low` may be NaN in unused lanes.
inline void clip(Float8 low, Float8 high, int size, Int8& first, Int8& last) {
  const auto end = static_cast<float>(size);
  const Float8 a = min8(max8(low - kCellMargin, all8(0.0F)), all8(end));
  const Int8 whole = truncated(a);
  first = whole - (toFloat(whole) < a);
  last = truncated(min8(max8(high + (1.0F + kCellMargin), all8(0.0F)), all8(end))) - 1;
}

// Arc tangent of y/x within 1.2e-5 rad (Abramowitz and Stegun, 1964, 4.4.49).
inline Float8 quickAtan2(Float8 y, Float8 x) {
  const Float8 ax = abs8(x), ay = abs8(y);
  const Float8 q = min8(ax, ay) / max8(max8(ax, ay), all8(1e-30F));
  const Float8 s = q * q;
  Float8 angle =
      q * (0.9998660F + s * (-0.3302995F + s * (0.1801410F + s * (-0.0851330F + s * 0.0208351F))));
  angle = blend8(angle, 0.5F * kPiF - angle, ay > ax);
  angle = blend8(angle, kPiF - angle, x < 0.0F);
  return copySign(angle, y);
}

inline Footprints8 sphericalFootprints(const ImageStrip& image, const Float8* c, Float8 radius) {
  const Float8 horizontal2 = c[0] * c[0] + c[1] * c[1];
  const Float8 distance2 = horizontal2 + c[2] * c[2];
  const Float8 horizontal = sqrt8(horizontal2);
  const auto asinBound = [](Float8 sine) { return sine * (1.0F + 0.2F * sine * sine); };
  const Float8 up = asinBound(radius / sqrt8(distance2)), sideways = asinBound(radius / horizontal);
  Footprints8 cells;
  const Float8 row =
      (image.scale.top - quickAtan2(c[2], horizontal)) * image.scale.rows_per_rad - 0.5F;
  const Float8 row_reach = (up + kAngleMargin) * image.scale.rows_per_rad;
  clip(row - row_reach, row + row_reach, image.height, cells.first_row, cells.last_row);

  // In the turn that begins at the left edge of the image.
  Float8 turn = (image.scale.left - quickAtan2(c[1], c[0])) * image.scale.columns_per_rad;
  turn = blend8(turn, turn + image.scale.columns_per_turn, turn < 0.0F);
  const Float8 column = turn - 0.5F;
  const Float8 reach = (sideways + kAngleMargin) * image.scale.columns_per_rad + 1.0F;
  clip(column - reach + 1.0F, column + reach - 1.0F, image.width, cells.first_column,
       cells.last_column);
  // The ball is near a pole or the sensor, or its copy in the next turn crosses the seam.
  const auto width = static_cast<float>(image.width);
  const Int8 irregular = (radius >= 0.49F * horizontal) |
                         (column + reach >= image.scale.columns_per_turn) |
                         (column - reach <= width - image.scale.columns_per_turn);
  cells.irregular = signs(irregular);
  return cells;
}

/// Cells of discs with unit normals n, of balls where n is 0. The plane y = k z touches a disc
/// where ((0, -1, k).c)^2 = R^2 (1 + k^2 - ((0, -1, k).n)^2), a ball without the term with n.
inline Footprints8 pinholeFootprints(const ImageStrip& image, const Float8* c, const Float8* n,
                                     Float8 radius) {
  constexpr float kSpare = 1e-6F;  // for discs seen edge-on, where rounding matters
  const Float8 radius2 = radius * radius, depth2 = c[2] * c[2];
  const Float8 across2 = depth2 - radius2 * (1.0F - n[2] * n[2]);
  const auto interval = [&](int axis, float focal, float middle, int size, Int8& first,
                            Int8& last) {
    const Float8 side = c[axis], m = n[axis];
    const Float8 turned = c[2] * m - side * n[2];
    const Float8 distance2 = (1.0F + kSpare) * (side * side + depth2);
    const Float8 reach2 = distance2 - turned * turned - radius2 * (1.0F - m * m - n[2] * n[2]);
    const Float8 root = sqrt8(max8(reach2, all8(0.0F))) * radius;
    const Float8 centre = side * c[2] + radius2 * m * n[2];
    const Float8 low = (centre - root) / across2, high = (centre + root) / across2;
    const Float8 margin = 1e-5F * (abs8(low) + abs8(high) + 1.0F);
    clip((low - margin) * focal + middle, (high + margin) * focal + middle, size, first, last);
  };
  Footprints8 cells;
  interval(1, image.scale.fy, image.scale.cy, image.height, cells.first_row, cells.last_row);
  interval(0, image.scale.fx, image.scale.cx, image.width, cells.first_column, cells.last_column);
  cells.irregular = signs(c[2] <= 1.01F * radius);  // its image is unbounded or empty
  return cells;
}

/// Cells of discs about `centre` [m] with unit normals, in the sensor (camera) frame; of balls
/// where a normal is 0. The cells may be too many.
inline Footprints footprintsOf(const ImageStrip& image, const Float8* centre, const Float8* normal,
                               Float8 radius) {
  return {image,
          image.scale.spherical ? sphericalFootprints(image, centre, radius)
                                : pinholeFootprints(image, centre, normal, radius),
          centre, radius};
}

/// Cells of balls.
inline Footprints footprintsOf(const ImageStrip& image, const Float8* centre, Float8 radius) {
  const Float8 none[3] = {all8(0.0F), all8(0.0F), all8(0.0F)};
  return footprintsOf(image, centre, none, radius);
}

}  // namespace
}  // namespace marsim::lidar
