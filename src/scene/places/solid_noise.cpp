// SPDX-License-Identifier: BSD-3-Clause
#include "scene/places/solid_noise.hpp"

#include <cmath>

#include "marsim/common/random.hpp"

namespace marsim::scene {
namespace {

double valueAt(std::int64_t x, std::int64_t y, std::int64_t z, std::uint64_t seed) {
  std::uint64_t bits = mixBits(seed ^ static_cast<std::uint64_t>(x));
  bits = mixBits(bits ^ static_cast<std::uint64_t>(y));
  bits = mixBits(bits ^ static_cast<std::uint64_t>(z));
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

}  // namespace

double solidNoise(const Eigen::Vector3d& p, std::uint64_t seed) {
  const Eigen::Vector3d low = p.array().floor();
  const Eigen::Vector3d f = p - low;
  const Eigen::Vector3d s = f.array() * f.array() * (3.0 - 2.0 * f.array());
  const auto x = static_cast<std::int64_t>(low.x()), y = static_cast<std::int64_t>(low.y()),
             z = static_cast<std::int64_t>(low.z());
  double sum = 0.0;
  for (int corner = 0; corner < 8; ++corner) {
    const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
    const double weight = (i == 1 ? s.x() : 1.0 - s.x()) * (j == 1 ? s.y() : 1.0 - s.y()) *
                          (k == 1 ? s.z() : 1.0 - s.z());
    sum += weight * valueAt(x + i, y + j, z + k, seed);
  }
  return sum;
}

}  // namespace marsim::scene
