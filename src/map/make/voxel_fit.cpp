// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/voxel_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "marsim/common/units.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr std::size_t kFewest = 6;      // least points of a neighbourhood that shows a surface
constexpr float kShrink = 1.0F / 1.5F;  // factor from one neighbourhood to the next
constexpr float kGrow = 1.3F;           // the same for lines
constexpr float kExplained = 0.9F;      // inliers of a neighbourhood that is a sheet
constexpr float kBarely = 0.6F;         // of the smallest one
constexpr float kOfLines = 0.85F;       // of lines on one sheet
constexpr float kBand = 3.0F;           // in noise: farther points count little in a fit
constexpr float kThin = 1.2F;           // in noise: spread across a line
constexpr double kSlender = 0.12;       // largest variance across a line by that along it
constexpr float kWideLines = 0.15F;     // of the radius: spread across several lines
constexpr float kWindow = 1.5F;         // in discs: half the window for edges
constexpr float kBlur = 0.7F;           // of the noise: its part along a sheet
constexpr float kNarrow = 0.75F;        // in discs: half the width of a sheet that is too narrow
constexpr float kOpen = 0.93F;          // of the window: an extent that does not end in it
constexpr float kMoved = 0.25F;         // in discs: the shift at an edge
constexpr float kOnSheet = 0.85F;       // least share of the points within a disc
constexpr float kOneSheet = 0.88F;      // least inliers of a sheet of scan lines
constexpr float kThick = 1.5F;          // in noise: its largest thickness
constexpr float kEmpty = 0.25F;         // largest share of a disc's cells without points
constexpr std::size_t kSpacingOf = 6;   // number of the neighbour whose distance is the spacing
constexpr float kFar = 1e9F;

/// A plane through `mean`, relative to the voxel's mean.
struct FittedPlane {
  Vector3d mean = Vector3d::Zero(), normal = Vector3d::UnitZ(), axis = Vector3d::UnitX();
  Vector3d variances = Vector3d::Zero();  ///< [m^2] of all points, in rising order
  float thickness = 0.0F;                 ///< [m]
  float inliers = 0.0F;

  Vector3f shift() const { return (normal * normal.dot(mean)).cast<float>(); }
};

/// Share of the weights of points within a distance from the plane.
float shareWithin(const NearPoints& near, const FittedPlane& plane, float band) {
  float all = 0.0F, within = 0.0F;
  const Vector3f n = plane.normal.cast<float>();
  const auto offset = static_cast<float>(plane.normal.dot(plane.mean));
  for (std::size_t i = 0; i < near.count; ++i) {
    const float e = near.x[i] * n.x() + near.y[i] * n.y() + near.z[i] * n.z() - offset;
    all += near.fall[i];
    within += std::abs(e) < band ? near.fall[i] : 0.0F;
  }
  return all > 0.0F ? within / all : 0.0F;
}

/// Fits three times: points off the plane before count little.
FittedPlane fitPlane(NearPoints& near, float radius, const VoxelSettings& settings) {
  FittedPlane plane;
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  weighByDistance(near, radius);
  for (int pass = 0; pass < 3; ++pass) {
    if (pass > 0) {
      weighByPlane(near, plane.mean, plane.normal, std::max(1e-4F, kBand * settings.noise));
    }
    const PointMoments moments = weightedMoments(near);
    solver.computeDirect(moments.covariance);
    plane.mean = moments.mean;
    plane.normal = solver.eigenvectors().col(0);
    const double variance = std::max(0.0, solver.eigenvalues()[0]);
    plane.thickness = static_cast<float>(std::sqrt(variance));
    if (pass > 0) continue;
    plane.variances = solver.eigenvalues().cwiseMax(0.0);
    plane.axis = solver.eigenvectors().col(2);
  }
  plane.inliers = shareWithin(near, plane, settings.band);
  return plane;
}

/// [m] Spacing of the points of a flattened sheet.
struct Spacing {
  float even = 0.0F;   ///< as if they were spread evenly
  float lines = 0.0F;  ///< between scan lines: to most sectors' nearest points; 0: too few have one
};

Spacing spacingAt(const NearPoints& near, float x, float y, float least) {
  std::array<float, 8> sectors;
  sectors.fill(kFar);
  std::array<float, kSpacingOf> nearest;  // squared distances, in rising order
  nearest.fill(kFar);
  std::size_t count = 0;
  for (std::size_t i = 0; i < near.count; ++i) {
    if (near.factor[i] == 0.0F) continue;
    const float a = near.x[i] - x, b = near.y[i] - y, square = a * a + b * b;
    ++count;
    if (square < nearest.back()) {
      std::size_t place = kSpacingOf - 1;
      for (; place > 0 && nearest[place - 1] > square; --place) nearest[place] = nearest[place - 1];
      nearest[place] = square;
    }
    if (square < 0.25F * least * least) continue;
    const auto sector = static_cast<std::size_t>((a > 0.0F ? 1 : 0) | (b > 0.0F ? 2 : 0) |
                                                 (std::abs(a) > std::abs(b) ? 4 : 0));
    if (square < sectors[sector]) sectors[sector] = square;  // faster than std::min
  }
  std::sort(sectors.begin(), sectors.end());
  const std::size_t nth = std::min(kSpacingOf, count) - 1;
  const auto number = static_cast<float>(nth) + 0.5F;
  return {std::max(least, std::sqrt(static_cast<float>(kPi) * nearest[nth] / number)),
          sectors[5] < kFar ? 0.8F * std::sqrt(sectors[3]) : 0.0F};
}

/// The median of some points within the disc.
Spacing spacingOf(const NearPoints& near, float disc, float least) {
  constexpr std::size_t kPlaces = 5;
  std::array<std::size_t, 64> inside;
  std::size_t count = 0;
  for (std::size_t i = 0; i < near.count && count < inside.size(); ++i) {
    const bool is_inside = near.x[i] * near.x[i] + near.y[i] * near.y[i] < disc * disc;
    if (near.factor[i] > 0.0F && is_inside) inside[count++] = i;
  }
  if (count == 0) return {};
  std::array<float, kPlaces> even, lines;
  const std::size_t places = std::min(kPlaces, count);
  for (std::size_t k = 0; k < places; ++k) {
    const std::size_t i = inside[(2 * k + 1) * count / (2 * places)];
    const Spacing spacing = spacingAt(near, near.x[i], near.y[i], least);
    even[k] = spacing.even;
    lines[k] = spacing.lines;
  }
  const auto median = [&](auto& values) {
    std::sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(places));
    return values[places / 2];
  };
  return {median(even), median(lines)};
}

/// Whether more than a quarter of a disc's cells has no point of a flattened sheet.
bool hasGaps(const NearPoints& near, const VoxelSettings& settings, const Eigen::Vector2f& centre,
             float spacing) {
  constexpr int kMost = 6;
  const float disc = settings.disc;
  const int side = std::min(kMost, static_cast<int>(2.0F * disc / (1.5F * spacing)));
  if (side < 3) return false;
  std::array<bool, kMost * kMost> has_point{};
  const float scale = static_cast<float>(side) / (2.0F * disc);
  for (std::size_t i = 0; i < near.count; ++i) {
    if (near.factor[i] == 0.0F) continue;
    const float a = (near.x[i] - centre.x() + disc) * scale;
    const float b = (near.y[i] - centre.y() + disc) * scale;
    if (a < 0.0F || b < 0.0F) continue;
    const int row = static_cast<int>(a), column = static_cast<int>(b);
    if (row < side && column < side)
      has_point[static_cast<std::size_t>(row * kMost + column)] = true;
  }
  int cells = 0, empty = 0;
  const float middle = 0.5F * static_cast<float>(side - 1);
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const float a = (static_cast<float>(row) - middle) / scale;
      const float b = (static_cast<float>(column) - middle) / scale;
      if (a * a + b * b > 0.85F * disc * disc) continue;
      ++cells;
      empty += has_point[static_cast<std::size_t>(row * kMost + column)] ? 0 : 1;
    }
  }
  return static_cast<float>(empty) > kEmpty * static_cast<float>(cells);
}

/// Share of the points within a radius that lie on the plane.
float shareOnSheet(const NearPoints& near, const FittedPlane& plane, float radius, float band) {
  float all = 0.0F, on = 0.0F;
  const Vector3f n = plane.normal.cast<float>();
  const auto offset = static_cast<float>(plane.normal.dot(plane.mean));
  for (std::size_t i = 0; i < near.count; ++i) {
    const Vector3f p(near.x[i], near.y[i], near.z[i]);
    if (p.squaredNorm() > radius * radius) continue;
    all += 1.0F;
    on += std::abs(p.dot(n) - offset) < band ? 1.0F : 0.0F;
  }
  return all > 0.0F ? on / all : 1.0F;
}

/// Where a sheet ends: moves the disc inwards and says whether it covers points only.
void findEdges(NearPoints& near, const FittedPlane& plane, const VoxelSettings& settings,
               VoxelFit& fit) {
  const float share = shareOnSheet(near, plane, settings.disc, settings.band);
  const bool is_one_sheet = plane.thickness < kThick * settings.noise &&
                            shareOnSheet(near, plane, kFar, settings.band) > kOneSheet;
  const Vector3f n = plane.normal.cast<float>().normalized();
  const Vector3f u = n.unitOrthogonal(), v = n.cross(u);
  flatten(near, plane.mean, u, v, plane.normal, settings.band);
  const float window = std::max(kWindow * settings.disc, 0.02F);
  const float angle = directionOfLength(near, window);
  const float blur = kBlur * settings.noise;
  const float cell2 = settings.cell * settings.cell / 12.0F;
  const std::array<Extent, 2> ends = extents(near, angle, window, blur * blur - cell2);
  std::array<float, 2> way{};
  bool is_narrow = false;
  for (std::size_t k = 0; k < 2; ++k) {
    Extent inside = ends[k];
    if (inside.low < -kOpen * window) inside.low = -kFar;
    if (inside.high > kOpen * window) inside.high = kFar;
    is_narrow |= ends[k].high - ends[k].low < 2.0F * kNarrow * settings.disc;
    way[k] = inwards(inside, settings.disc);
    fit.is_edge |= std::abs(way[k]) > kMoved * settings.disc;
  }
  const float c = std::cos(angle), d = std::sin(angle);
  const Eigen::Vector2f centre(way[0] * c - way[1] * d, way[0] * d + way[1] * c);
  const Spacing spacing =
      spacingOf(near, settings.disc, std::max(settings.cell, 1.5F * settings.noise));
  fit.spacing = spacing.even;
  if (is_one_sheet) fit.spacing = std::max(fit.spacing, spacing.lines);
  fit.is_filled = !is_narrow && share >= kOnSheet && !hasGaps(near, settings, centre, fit.spacing);
  fit.shift += centre.x() * u + centre.y() * v;
}

/// Whether all points lie on a line as thin as the noise.
bool isLine(const FittedPlane& plane, const VoxelSettings& settings) {
  const double width = static_cast<double>(kThin * settings.noise);
  return plane.variances[1] < width * width && plane.variances[1] < kSlender * plane.variances[2];
}

void take(const FittedPlane& plane, FitKind kind, VoxelFit& fit) {
  fit.kind = kind;
  const Vector3d& direction = kind == FitKind::kRod ? plane.axis : plane.normal;
  fit.direction = direction.cast<float>().normalized();
  fit.thickness = plane.thickness;
  fit.inliers = plane.inliers;
  fit.on_plane = plane.mean.cast<float>();
  fit.shift = plane.shift();
}

}  // namespace

VoxelFit fitVoxel(const CellNeighbours& around, const Vector3f& mean, const VoxelSettings& settings,
                  NearPoints& near) {
  VoxelFit fit;
  FittedPlane plane;
  for (float radius = settings.radius;;
       radius = std::max(kShrink * radius, settings.least_radius)) {
    near.gather(around, mean, radius);
    if (near.count < kFewest) {
      fit.is_alone = radius == settings.radius;
      return fit;
    }
    plane = fitPlane(near, radius, settings);
    if (radius == settings.radius && isLine(plane, settings)) {
      take(plane, FitKind::kRod, fit);
      fit.is_line = true;
      return fit;
    }
    if (plane.inliers > kExplained || radius <= settings.least_radius) break;
  }
  take(plane, FitKind::kSheet, fit);
  near.gather(around, mean, std::min(settings.radius, 2.2F * settings.disc));
  findEdges(near, plane, settings, fit);
  fit.is_filled &= plane.inliers > kBarely;
  return fit;
}

VoxelFit fitLines(const CellNeighbours& around, const Vector3f& mean, const VoxelSettings& settings,
                  NearPoints& near) {
  VoxelFit fit;
  const double blur = 1.5 * static_cast<double>(settings.noise);
  for (float radius = settings.least_radius;; radius *= kGrow) {
    radius = std::min(radius, settings.radius);
    near.gather(around, mean, radius);
    if (near.count >= kFewest) {
      const FittedPlane plane = fitPlane(near, radius, settings);
      const bool sees_others =
          std::sqrt(plane.variances[1]) > blur + static_cast<double>(kWideLines * radius);
      if (sees_others) {
        if (plane.inliers < kOfLines || plane.thickness > kThick * settings.noise) return fit;
        take(plane, FitKind::kSheet, fit);
        fit.is_filled = true;
        return fit;
      }
    }
    if (radius >= settings.radius) return fit;
  }
}

}  // namespace marsim::map
