// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Geometry>

#include "marsim/common/units.hpp"

namespace marsim::collision {

/// Visits a disc's middle and rings around it up to its edge, as offsets [m] from the middle; rings
/// and the points on a ring are about `spacing` [m] apart. The middle alone where the disc is
/// smaller than that.
template <class Visit>
void visitDiscPoints(const Eigen::Vector3f& normal, float radius, float spacing,
                     const Visit& visit) {
  visit(Eigen::Vector3f(0.0F, 0.0F, 0.0F));
  const int rings = static_cast<int>(radius / spacing);
  if (rings == 0) return;
  const Eigen::Vector3f n = normal.normalized(), u = n.unitOrthogonal();
  for (int ring = 1; ring <= rings; ++ring) {
    const int count = 6 * ring;
    const Eigen::AngleAxisf turn(static_cast<float>(2.0 * kPi / count), n);
    Eigen::Vector3f way = radius * static_cast<float>(ring) / static_cast<float>(rings) * u;
    for (int i = 0; i < count; ++i, way = turn * way) visit(way);
  }
}

}  // namespace marsim::collision
