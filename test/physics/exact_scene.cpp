// SPDX-License-Identifier: BSD-3-Clause
#include "physics/exact_scene.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace marsim::physics {
namespace {

constexpr double kNothing = std::numeric_limits<double>::infinity();

}  // namespace

ExactScene::ExactScene(std::vector<Cylinder> cylinders, std::vector<double> walls)
    : cylinders_(std::move(cylinders)), walls_(std::move(walls)) {
  std::sort(cylinders_.begin(), cylinders_.end(),
            [](const Cylinder& a, const Cylinder& b) { return a.y < b.y; });
  for (const Cylinder& cylinder : cylinders_) largest_ = std::max(largest_, cylinder.radius);
}

lidar::Hit ExactScene::hitOf(const lidar::Ray& ray) const {
  const Eigen::Vector3d o = ray.origin.cast<double>(), d = ray.direction.cast<double>();
  const auto reach = static_cast<double>(ray.range_max);
  double range = kNothing;
  std::uint32_t number = 0;
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < walls_.size(); ++i) {
    const double t = (walls_[i] - o.x()) / d.x();
    if (!(t > 0.0 && t < range)) continue;
    range = t;
    number = static_cast<std::uint32_t>(cylinders_.size() + i);
    normal = {d.x() > 0.0 ? -1.0 : 1.0, 0.0, 0.0};
  }
  const double flat = d.x() * d.x() + d.y() * d.y();
  const double low = std::min(o.y(), o.y() + reach * d.y()) - largest_;
  const double high = std::max(o.y(), o.y() + reach * d.y()) + largest_;
  auto next = std::lower_bound(cylinders_.begin(), cylinders_.end(), low,
                               [](const Cylinder& c, double y) { return c.y < y; });
  for (; next != cylinders_.end() && next->y <= high; ++next) {
    const double cx = next->x - o.x(), cy = next->y - o.y();
    const double along = (cx * d.x() + cy * d.y()) / flat;
    const double off = cx * d.y() - cy * d.x();  // times the root of `flat`
    const double half2 = next->radius * next->radius / flat - off * off / (flat * flat);
    if (half2 < 0.0) continue;
    const double t = along - std::sqrt(half2);
    if (!(t > 0.0 && t < range)) continue;
    range = t;
    number = static_cast<std::uint32_t>(next - cylinders_.begin());
    normal = Eigen::Vector3d(t * d.x() - cx, t * d.y() - cy, 0.0) / next->radius;
  }
  if (range > reach) return {};
  return {static_cast<float>(range), number, lidar::kMapIdentity, normal.cast<float>()};
}

void ExactScene::cast(const std::vector<lidar::Ray>& rays, View<lidar::MovingObject>,
                      std::vector<lidar::Hit>& hits) const {
  hits.clear();
  hits.reserve(rays.size());
  for (const lidar::Ray& ray : rays) hits.push_back(hitOf(ray));
}

}  // namespace marsim::physics
