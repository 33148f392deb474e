#include "lidar/image/image_footprint.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/units.hpp"

namespace marsim::lidar {
namespace {

constexpr auto kPiF = static_cast<float>(kPi);
constexpr float kAngleMargin = 3e-5F;  // [rad] more than the error of the angles here
constexpr float kCellMargin = 0.02F;   // [cells] more than the rounding of cell coordinates

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

int footprintOf(const void* finder, const float* centre, float radius, CellRange* ranges) {
  const Footprint cells = static_cast<const FootprintFinder*>(finder)->of(
      Eigen::Vector3f(centre[0], centre[1], centre[2]), radius);
  if (cells.empty()) return 0;
  for (int i = 0; i < cells.run_count; ++i) {
    ranges[i] = {cells.first_row, cells.last_row, cells.runs[i].first, cells.runs[i].last};
  }
  return cells.run_count;
}

}  // namespace

FootprintFinder::FootprintFinder(const ImageGrid& grid)
    : projection_(grid.projection), width_(grid.width), height_(grid.height) {
  if (projection_ == ImageGrid::Projection::kSpherical) {
    const double columns_per_rad = grid.width / (grid.azimuth_max - grid.azimuth_min);
    columns_per_rad_ = static_cast<float>(columns_per_rad);
    columns_per_turn_ = static_cast<float>(columns_per_rad * 2.0 * kPi);
    rows_per_rad_ = static_cast<float>(grid.height / (grid.elevation_max - grid.elevation_min));
    left_ = static_cast<float>(std::remainder(grid.azimuth_max, 2.0 * kPi));
    top_ = static_cast<float>(grid.elevation_max);
    return;
  }
  fx_ = static_cast<float>(grid.fx);
  fy_ = static_cast<float>(grid.fy);
  cx_ = static_cast<float>(grid.cx);
  cy_ = static_cast<float>(grid.cy);
  const Eigen::Vector3d sides[4] = {{grid.fx, 0.0, grid.cx + 0.5},
                                    {-grid.fx, 0.0, grid.width - 0.5 - grid.cx},
                                    {0.0, grid.fy, grid.cy + 0.5},
                                    {0.0, -grid.fy, grid.height - 0.5 - grid.cy}};
  for (int i = 0; i < 4; ++i) sides_[i] = sides[i].normalized().cast<float>();
}

Footprint FootprintFinder::of(const Eigen::Vector3f& centre, float radius) const {
  return projection_ == ImageGrid::Projection::kSpherical ? spherical(centre, radius)
                                                          : pinhole(centre, radius);
}

void FootprintFinder::describe(ImageStrip& strip) const {
  strip.spherical = projection_ == ImageGrid::Projection::kSpherical;
  strip.columns_per_rad = columns_per_rad_;
  strip.rows_per_rad = rows_per_rad_;
  strip.columns_per_turn = columns_per_turn_;
  strip.left = left_;
  strip.top = top_;
  strip.fx = fx_;
  strip.fy = fy_;
  strip.cx = cx_;
  strip.cy = cy_;
  strip.footprint = footprintOf;
  strip.finder = this;
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
  const float row_reach = (asinBound(radius / std::sqrt(distance2)) + kAngleMargin) * rows_per_rad_;
  const float row = (top_ - elevation) * rows_per_rad_ - 0.5F;
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
  const float reach = (asinBound(radius / horizontal) + kAngleMargin) * columns_per_rad_;
  if (2.0F * (reach + 1.0F) >= columns_per_turn_) return allColumns();
  // In the turn that begins at the left edge; copies in the next turns may cross the seam.
  float turn = (left_ - quickAtan2(centre.y(), centre.x())) * columns_per_rad_;
  if (turn < 0.0F) turn += columns_per_turn_;
  for (int k = -1; k <= 1; ++k) {
    const float column = turn - 0.5F + static_cast<float>(k) * columns_per_turn_;
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
  const Footprint::Run rows = interval(centre.y(), fy_, cy_, height_);
  footprint.first_row = rows.first;
  footprint.last_row = rows.last;
  footprint.runs[0] = interval(centre.x(), fx_, cx_, width_);
  footprint.run_count = footprint.runs[0].first <= footprint.runs[0].last ? 1 : 0;
  return footprint;
}

}  // namespace marsim::lidar
