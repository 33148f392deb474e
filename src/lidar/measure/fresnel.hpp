// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace marsim::lidar {

/// Reflectance of unpolarised light, from air into a medium of the refractive index `index`
/// (Fresnel). `cosine` is that of the angle of incidence.
inline double fresnelReflectance(double index, double cosine) {
  const double inside = std::sqrt(1.0 - (1.0 - cosine * cosine) / (index * index));
  const double s = (cosine - index * inside) / (cosine + index * inside);
  const double p = (index * cosine - inside) / (index * cosine + inside);
  return 0.5 * (s * s + p * p);
}

}  // namespace marsim::lidar
