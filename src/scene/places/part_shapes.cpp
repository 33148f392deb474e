// SPDX-License-Identifier: BSD-3-Clause
#include "scene/places/part_shapes.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/units.hpp"

namespace marsim::scene {

void boxOn(const Eigen::Vector3d& foot, const Eigen::Vector3d& size, SurfaceSampler& sampler) {
  const Eigen::Vector3d low = foot - Eigen::Vector3d(0.5 * size.x(), 0.5 * size.y(), 0.0);
  sampler.box({low, Eigen::Vector3d(low + size)});
}

void rod(const Eigen::Vector3d& from, const Eigen::Vector3d& to, double radius,
         SurfaceSampler& sampler) {
  const double length = (to - from).norm();
  if (length < 1e-6) return;
  const Eigen::Vector3d along = (to - from) / length;
  sampler.tube(
      length, [&](double s) -> Eigen::Vector3d { return from + s * along; },
      [&](double) { return radius; });
}

void disc(const Eigen::Vector3d& centre, const Eigen::Vector3d& normal, double radius,
          SurfaceSampler& sampler) {
  const Eigen::Vector3d x = anyNormalTo(normal);
  const Eigen::Vector3d y = normal.normalized().cross(x);
  const double cell = sampler.spacing() * sampler.spacing();
  const auto count = std::max(1L, std::lround(kPi * radius * radius / cell));
  for (long i = 0; i < count; ++i) {
    const double share =
        (static_cast<double>(i) + sampler.random().uniform()) / static_cast<double>(count);
    const double angle = kGoldenAngle * static_cast<double>(i);
    const double reach = radius * std::sqrt(share);
    sampler.point(centre + reach * (std::cos(angle) * x + std::sin(angle) * y), normal);
  }
}

void drum(const Eigen::Vector3d& from, const Eigen::Vector3d& to, double radius,
          SurfaceSampler& sampler) {
  rod(from, to, radius, sampler);
  const Eigen::Vector3d along = (to - from).normalized();
  disc(from, along, radius, sampler);
  disc(to, along, radius, sampler);
}

void quad(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
          const Eigen::Vector3d& d, SurfaceSampler& sampler) {
  const double width = std::max((b - a).norm(), (c - d).norm());
  const double height = std::max((d - a).norm(), (c - b).norm());
  const Eigen::Vector3d across = (c - a).cross(d - b);
  if (across.norm() < 1e-9) return;
  const Eigen::Vector3d normal = across.normalized();
  const auto columns = std::max(1L, std::lround(width / sampler.spacing()));
  const auto rows = std::max(1L, std::lround(height / sampler.spacing()));
  // Cells get narrower where opposite sides differ; that share of points is left out.
  const double largest = width * height / static_cast<double>(columns * rows);
  for (long row = 0; row < rows; ++row) {
    for (long column = 0; column < columns; ++column) {
      const double du = 0.7 * (sampler.random().uniform() - 0.5);
      const double dv = 0.7 * (sampler.random().uniform() - 0.5);
      const double kept = sampler.random().uniform();
      const double u = (static_cast<double>(column) + 0.5 + du) / static_cast<double>(columns);
      const double v = (static_cast<double>(row) + 0.5 + dv) / static_cast<double>(rows);
      const Eigen::Vector3d along_u = (1.0 - v) * (b - a) + v * (c - d);
      const Eigen::Vector3d along_v = (1.0 - u) * (d - a) + u * (c - b);
      const double cell = along_u.cross(along_v).norm() / static_cast<double>(columns * rows);
      if (kept * largest > cell) continue;
      sampler.point((1.0 - v) * ((1.0 - u) * a + u * b) + v * ((1.0 - u) * d + u * c), normal);
    }
  }
}

void wallFaces(const Eigen::Vector3d& corner, const Eigen::Vector3d& along,
               const Eigen::Vector3d& through, double height,
               const std::vector<SurfaceSampler::Hole>& holes, SurfaceSampler& sampler) {
  const Eigen::Vector3d u = along.normalized(), up = Eigen::Vector3d::UnitZ();
  sampler.patch(corner, along, height * up, holes);
  sampler.patch(corner + through, along, height * up, holes);
  for (const SurfaceSampler::Hole& hole : holes) {
    const Eigen::Vector3d low = corner + hole.u_min * u + hole.v_min * up;
    const Eigen::Vector3d width = (hole.u_max - hole.u_min) * u;
    const Eigen::Vector3d rise = (std::min(hole.v_max, height) - hole.v_min) * up;
    sampler.patch(low, through, rise);
    sampler.patch(low + width, through, rise);
    if (hole.v_max < height) sampler.patch(low + rise, width, through);
    if (hole.v_min > 0.0) sampler.patch(low, width, through);
  }
}

}  // namespace marsim::scene
