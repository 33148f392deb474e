// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/surface_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

namespace marsim::map {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector3f;
using Solver = Eigen::SelfAdjointEigenSolver<Matrix3d>;

// Factors of a half to two were tried on a place of known geometry; no constant is critical.
constexpr float kBand = 3.0F;        // in noise: points farther off a plane count little
constexpr double kRodWidth = 1.6;    // in noise: largest spread of a rod's points
constexpr double kRodSlender = 0.2;  // largest variance across a rod by that along it
constexpr double kEven = 0.05;       // of the radius: largest offset of a whole sheet's mean
constexpr double kRound = 0.8;       // least ratio of its variances
constexpr float kWindow = 3.0F;      // in R: half the window for a sheet's edges
constexpr float kLeastBand = 1e-4F;  // [m] where there is no noise
constexpr float kBlur = 0.7F;        // of the noise: its part along a sheet

/// Moves a sheet's point away from its edges, so that its disc ends where the sheet does.
/// Overwrites the points.
Vector3f keepInside(NearPoints& near, const FitSettings& settings, const Vector3d& mean,
                    const Vector3d& normal) {
  const float window = std::min(0.7F * settings.radius, kWindow * settings.disc);
  const Vector3f n = normal.cast<float>();
  const Vector3f u = n.unitOrthogonal();
  const Vector3f v = n.cross(u);
  flatten(near, mean, u, v, normal, std::max(kLeastBand, kBand * settings.noise));
  const float angle = directionOfLength(near, window);
  const float blur = kBlur * settings.noise;
  const auto [along, across] = extents(near, angle, window, blur * blur);
  const float a = inwards(along, settings.disc), b = inwards(across, settings.disc);
  const float c = std::cos(angle), d = std::sin(angle);
  return (a * c - b * d) * u + (a * d + b * c) * v;
}

/// Whether a sheet may end within reach of the point: its points do not lie evenly around.
bool mayEnd(const PointMoments& around, const Solver& solver, const FitSettings& settings) {
  const Vector3d& variances = solver.eigenvalues();
  const Vector3d normal = solver.eigenvectors().col(0);
  const Vector3d aside = around.mean - normal * normal.dot(around.mean);
  return aside.norm() > kEven * static_cast<double>(settings.radius) ||
         variances[1] < kRound * variances[2];
}

/// Whether the points around form a long line, about as wide and thick as noise makes one.
bool isRod(const Solver& solver, const FitSettings& settings) {
  const double width =
      kRodWidth * static_cast<double>(std::max(settings.noise, 0.4F * settings.disc));
  const Vector3d& variances = solver.eigenvalues();
  return variances[1] < width * width && variances[1] < kRodSlender * variances[2];
}

/// Moves a point towards a rod's axis, to the spread that the rod has without noise.
SurfaceFit fitRod(const PointMoments& around, const Solver& solver, const FitSettings& settings) {
  SurfaceFit fit;
  fit.kind = FitKind::kRod;
  const Vector3d axis = solver.eigenvectors().col(2);
  const double noise = static_cast<double>(settings.noise);
  const double variance = std::max(solver.eigenvalues()[1], noise * noise);
  const double kept = std::sqrt(1.0 - noise * noise / variance);
  fit.direction = axis.cast<float>().normalized();
  fit.shift = ((1.0 - kept) * (around.mean - axis * axis.dot(around.mean))).cast<float>();
  return fit;
}

}  // namespace

void weighByDistance(NearPoints& near, float radius) {
  const float* const px = near.x.data();
  const float* const py = near.y.data();
  const float* const pz = near.z.data();
  const float* const weight = near.weight.data();
  float* const fall = near.fall.data();
  float* const factor = near.factor.data();
  const float scale = 1.0F / (radius * radius);
#pragma omp simd
  for (std::size_t i = 0; i < near.count; ++i) {
    const float square = px[i] * px[i] + py[i] * py[i] + pz[i] * pz[i];
    const float share = std::max(0.0F, 1.0F - square * scale);
    fall[i] = weight[i] * share * share;
    factor[i] = fall[i];
  }
}

void weighByPlane(NearPoints& near, const Vector3d& mean, const Vector3d& normal, float band) {
  const float* const px = near.x.data();
  const float* const py = near.y.data();
  const float* const pz = near.z.data();
  const float* const fall = near.fall.data();
  float* const factor = near.factor.data();
  const float across = 1.0F / (band * band);
  const float nx = static_cast<float>(normal.x()), ny = static_cast<float>(normal.y()),
              nz = static_cast<float>(normal.z());
  const float offset = static_cast<float>(normal.dot(mean));
#pragma omp simd
  for (std::size_t i = 0; i < near.count; ++i) {
    const float e = px[i] * nx + py[i] * ny + pz[i] * nz - offset;
    const float away = 1.0F + e * e * across;
    factor[i] = fall[i] / (away * away);
  }
}

void flatten(NearPoints& near, const Vector3d& mean, const Vector3f& u, const Vector3f& v,
             const Vector3d& normal, float band) {
  float* const px = near.x.data();
  float* const py = near.y.data();
  const float* const pz = near.z.data();
  const float* const weight = near.weight.data();
  float* const factor = near.factor.data();
  const float ux = u.x(), uy = u.y(), uz = u.z(), vx = v.x(), vy = v.y(), vz = v.z();
  const float nx = static_cast<float>(normal.x()), ny = static_cast<float>(normal.y()),
              nz = static_cast<float>(normal.z());
  const float offset = static_cast<float>(normal.dot(mean));
#pragma omp simd
  for (std::size_t i = 0; i < near.count; ++i) {
    const float x = px[i], y = py[i], z = pz[i];
    const float e = x * nx + y * ny + z * nz - offset;
    px[i] = x * ux + y * uy + z * uz;
    py[i] = x * vx + y * vy + z * vz;
    factor[i] = std::abs(e) < band ? std::sqrt(weight[i]) : 0.0F;
  }
}

float directionOfLength(const NearPoints& near, float window) {
  const float* const px = near.x.data();
  const float* const py = near.y.data();
  const float* const factor = near.factor.data();
  float s = 0, sa = 0, sb = 0, saa = 0, sab = 0, sbb = 0;
#pragma omp simd reduction(+ : s, sa, sb, saa, sab, sbb)
  for (std::size_t i = 0; i < near.count; ++i) {
    const float a = px[i], b = py[i];
    const float w = a * a + b * b < window * window ? factor[i] : 0.0F;
    s += w;
    sa += w * a;
    sb += w * b;
    saa += w * a * a;
    sab += w * a * b;
    sbb += w * b * b;
  }
  if (!(s > 0.0F)) return 0.0F;
  return 0.5F * std::atan2(2.0F * (sab - sa * sb / s), saa - sa * sa / s - sbb + sb * sb / s);
}

std::array<Extent, 2> extents(const NearPoints& near, float angle, float window, float blur2) {
  const float* const px = near.x.data();
  const float* const py = near.y.data();
  const float* const factor = near.factor.data();
  const float c = std::cos(angle), d = std::sin(angle);
  float s = 0, sa = 0, sb = 0, saa = 0, sbb = 0;
#pragma omp simd reduction(+ : s, sa, sb, saa, sbb)
  for (std::size_t i = 0; i < near.count; ++i) {
    const float a = c * px[i] + d * py[i], b = c * py[i] - d * px[i];
    const float w = std::max(std::abs(a), std::abs(b)) < window ? factor[i] : 0.0F;
    s += w;
    sa += w * a;
    sb += w * b;
    saa += w * a * a;
    sbb += w * b * b;
  }
  if (!(s > 0.0F)) return {};
  const auto extent = [&](float sum, float squares) {
    const float middle = sum / s;
    const float variance = std::max(0.0F, squares / s - middle * middle - blur2);
    const float half = std::sqrt(3.0F * variance);
    return Extent{middle - half, middle + half};
  };
  return {extent(sa, saa), extent(sb, sbb)};
}

float inwards(const Extent& extent, float reach) {
  const float low = extent.low + reach, high = extent.high - reach;
  return low > high ? 0.5F * (low + high) : std::clamp(0.0F, low, high);
}

PointMoments weightedMoments(const NearPoints& near) {
  const float* const px = near.x.data();
  const float* const py = near.y.data();
  const float* const pz = near.z.data();
  const float* const factor = near.factor.data();
  float s = 0, sx = 0, sy = 0, sz = 0, sxx = 0, sxy = 0, sxz = 0, syy = 0, syz = 0, szz = 0;
#pragma omp simd reduction(+ : s, sx, sy, sz, sxx, sxy, sxz, syy, syz, szz)
  for (std::size_t i = 0; i < near.count; ++i) {
    const float w = factor[i], x = px[i], y = py[i], z = pz[i];
    const float wx = w * x, wy = w * y, wz = w * z;
    s += w;
    sx += wx;
    sy += wy;
    sz += wz;
    sxx += wx * x;
    sxy += wx * y;
    sxz += wx * z;
    syy += wy * y;
    syz += wy * z;
    szz += wz * z;
  }
  PointMoments result;
  if (!(s > 0.0F)) return result;
  result.weight = static_cast<double>(s);
  result.mean = Vector3d(sx, sy, sz) / result.weight;
  result.covariance << sxx, sxy, sxz, sxy, syy, syz, sxz, syz, szz;
  result.covariance = result.covariance / result.weight - result.mean * result.mean.transpose();
  return result;
}

void NearPoints::gather(const CellNeighbours& from, const Vector3f& centre, float radius) {
  for (std::vector<float>* values : {&x, &y, &z, &weight, &fall, &factor, &square}) {
    if (values->size() < from.count + 1) values->resize(from.count + 1);
  }
  const float cx = centre.x(), cy = centre.y(), cz = centre.z();
  float* const squares = square.data();
#pragma omp simd
  for (std::size_t i = 0; i < from.count; ++i) {
    const float dx = from.x[i] - cx, dy = from.y[i] - cy, dz = from.z[i] - cz;
    squares[i] = dx * dx + dy * dy + dz * dz;
  }
  // Without a branch: whether a point is near cannot be predicted.
  std::size_t next = 0;
  const float most = radius * radius;
  for (std::size_t i = 0; i < from.count; ++i) {
    x[next] = from.x[i] - cx;
    y[next] = from.y[i] - cy;
    z[next] = from.z[i] - cz;
    weight[next] = from.weight[i];
    next += squares[i] < most ? 1 : 0;
  }
  count = next;
}

SurfaceFit fitSurface(NearPoints& near, const FitSettings& settings) {
  SurfaceFit fit;
  if (near.count < 3) return fit;
  weighByDistance(near, settings.radius);
  PointMoments around = weightedMoments(near);
  Solver solver;
  solver.computeDirect(around.covariance);
  if (isRod(solver, settings)) return fitRod(around, solver, settings);
  Vector3d normal = solver.eigenvectors().col(0);
  const bool may_end = mayEnd(around, solver, settings);
  weighByPlane(near, around.mean, normal, std::max(kLeastBand, kBand * settings.noise));
  around = weightedMoments(near);
  solver.computeDirect(around.covariance);
  normal = solver.eigenvectors().col(0);
  fit.kind = FitKind::kSheet;
  fit.direction = normal.cast<float>().normalized();
  const double variance = normal.dot(around.covariance * normal);
  fit.thickness = static_cast<float>(std::sqrt(std::max(0.0, variance)));
  fit.shift = (normal * normal.dot(around.mean)).cast<float>();
  if (may_end) fit.shift += keepInside(near, settings, around.mean, normal);
  return fit;
}

}  // namespace marsim::map
