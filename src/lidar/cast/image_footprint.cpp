// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/cast/image_footprint.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/units.hpp"

namespace marsim::lidar {
namespace {

// Arc tangent of y/x over the full turn within 1.2e-5 rad (Abramowitz and Stegun, 1964, 4.4.49).
float quickAtan2(float y, float x) {
  const float ax = std::abs(x), ay = std::abs(y);
  const float q = std::min(ax, ay) / std::max({ax, ay, 1e-30F});
  const float s = q * q;
  float angle =
      q * (0.9998660F + s * (-0.3302995F + s * (0.1801410F + s * (-0.0851330F + s * 0.0208351F))));
  if (ay > ax) angle = 0.5F * kPiF - angle;
  if (x < 0.0F) angle = kPiF - angle;
  return y < 0.0F ? -angle : angle;
}

// Upper bound of the arc sine of a value in [0, 1).
float asinBound(float sine) {
  return sine < 0.5F ? sine * (1.0F + 0.2F * sine * sine) : std::asin(sine);
}

// Whole cells of an interval of cell coordinates, clipped to [0, size - 1].
Footprint::Run clip(float low, float high, int size) {
  const auto end = static_cast<float>(size);
  return {static_cast<int>(std::ceil(std::clamp(low - kCellMargin, 0.0F, end))),
          static_cast<int>(std::floor(std::clamp(high + kCellMargin, -1.0F, end - 1.0F)))};
}

}  // namespace

FootprintFinder::FootprintFinder(const ImageGrid& grid) : width_(grid.width), height_(grid.height) {
  scale_.spherical = grid.projection == ImageGrid::Projection::kSpherical;
  if (scale_.spherical) {
    const double columns_per_rad = grid.width / (grid.azimuth_max - grid.azimuth_min);
    scale_.columns_per_rad = static_cast<float>(columns_per_rad);
    scale_.columns_per_turn = static_cast<float>(columns_per_rad * 2.0 * kPi);
    scale_.rows_per_rad =
        static_cast<float>(grid.height / (grid.elevation_max - grid.elevation_min));
    scale_.left = static_cast<float>(std::remainder(grid.azimuth_max, 2.0 * kPi));
    scale_.top = static_cast<float>(grid.elevation_max);
    return;
  }
  scale_.fx = static_cast<float>(grid.fx);
  scale_.fy = static_cast<float>(grid.fy);
  scale_.cx = static_cast<float>(grid.cx);
  scale_.cy = static_cast<float>(grid.cy);
  const Eigen::Vector3d sides[4] = {{grid.fx, 0.0, grid.cx + 0.5},
                                    {-grid.fx, 0.0, grid.width - 0.5 - grid.cx},
                                    {0.0, grid.fy, grid.cy + 0.5},
                                    {0.0, -grid.fy, grid.height - 0.5 - grid.cy}};
  for (int i = 0; i < 4; ++i) sides_[i] = sides[i].normalized().cast<float>();
}

Footprint FootprintFinder::of(const Eigen::Vector3f& centre, float radius) const {
  return scale_.spherical ? spherical(centre, radius) : pinhole(centre, radius);
}

Footprint FootprintFinder::whole() const {
  Footprint footprint;
  footprint.last_row = height_ - 1;
  footprint.run_count = 1;
  footprint.runs[0] = {0, width_ - 1};
  return footprint;
}

Footprint FootprintFinder::spherical(const Eigen::Vector3f& centre, float radius) const {
  const float horizontal2 = centre.x() * centre.x() + centre.y() * centre.y();
  const float distance2 = horizontal2 + centre.z() * centre.z();
  if (distance2 <= radius * radius * 1.0001F) return whole();
  const float horizontal = std::sqrt(horizontal2);

  Footprint footprint;
  const float elevation = quickAtan2(centre.z(), horizontal);
  const float row_reach =
      (asinBound(radius / std::sqrt(distance2)) + kAngleMargin) * scale_.rows_per_rad;
  const float row = (scale_.top - elevation) * scale_.rows_per_rad - 0.5F;
  const Footprint::Run rows = clip(row - row_reach, row + row_reach, height_);
  footprint.first_row = rows.first;
  footprint.last_row = rows.last;
  if (rows.first > rows.last) return footprint;

  const auto allColumns = [&] {
    footprint.run_count = 1;
    footprint.runs[0] = {0, width_ - 1};
    return footprint;
  };
  if (radius >= 0.9999F * horizontal) return allColumns();
  const float reach = (asinBound(radius / horizontal) + kAngleMargin) * scale_.columns_per_rad;
  if (2.0F * (reach + 1.0F) >= scale_.columns_per_turn) return allColumns();
  // In the turn that begins at the left edge; copies in the next turns may cross the seam.
  float turn = (scale_.left - quickAtan2(centre.y(), centre.x())) * scale_.columns_per_rad;
  if (turn < 0.0F) turn += scale_.columns_per_turn;
  for (int k = -1; k <= 1; ++k) {
    const float column = turn - 0.5F + static_cast<float>(k) * scale_.columns_per_turn;
    const Footprint::Run run = clip(column - reach, column + reach, width_);
    if (run.first <= run.last && footprint.run_count < 2) {
      footprint.runs[footprint.run_count++] = run;
    }
  }
  return footprint;
}

bool FootprintFinder::outsidePinhole(const Eigen::Vector3f& centre, float radius) const {
  const float margin = 1e-5F * (centre.cwiseAbs().sum() + radius);
  if (centre.z() < -radius - margin) return true;
  return std::any_of(std::begin(sides_), std::end(sides_), [&](const Eigen::Vector3f& side) {
    return side.dot(centre) < -radius - margin;
  });
}

Footprint FootprintFinder::pinhole(const Eigen::Vector3f& centre, float radius) const {
  if (outsidePinhole(centre, radius)) return {};
  const float depth2 = centre.z() * centre.z() - radius * radius;
  // The ball reaches the plane of the optical centre: its image is unbounded.
  if (centre.z() <= 1.01F * radius) return whole();
  // Tangents to the ball's section in the planes of the image's axes.
  const auto interval = [&](float side, float focal, float middle, int size) {
    const float root = std::sqrt(side * side + depth2) * radius;
    const float low = (side * centre.z() - root) / depth2;
    const float high = (side * centre.z() + root) / depth2;
    const float margin = 1e-5F * (std::abs(low) + std::abs(high) + 1.0F);
    return clip((low - margin) * focal + middle, (high + margin) * focal + middle, size);
  };
  Footprint footprint;
  const Footprint::Run rows = interval(centre.y(), scale_.fy, scale_.cy, height_);
  footprint.first_row = rows.first;
  footprint.last_row = rows.last;
  footprint.runs[0] = interval(centre.x(), scale_.fx, scale_.cx, width_);
  footprint.run_count = footprint.runs[0].first <= footprint.runs[0].last ? 1 : 0;
  return footprint;
}

}  // namespace marsim::lidar
