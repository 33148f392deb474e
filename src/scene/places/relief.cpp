// SPDX-License-Identifier: BSD-3-Clause
#include "scene/places/relief.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"

namespace marsim::scene {

Relief::Relief(double size_x, double size_y, double height, std::uint64_t seed) {
  RandomStream random(seed, "ground");
  for (Wave& wave : waves_) {
    const double length = random.uniform(9.0, 24.0);
    const double azimuth = random.uniform(0.0, 2.0 * kPi);
    wave.kx = 2.0 * kPi / length * std::cos(azimuth);
    wave.ky = 2.0 * kPi / length * std::sin(azimuth);
    wave.phase = random.uniform(0.0, 2.0 * kPi);
    wave.amplitude = length;
  }
  double low = 0.0;
  double high = 0.0;
  constexpr int kSteps = 60;
  for (int i = 0; i <= kSteps; ++i) {
    for (int j = 0; j <= kSteps; ++j) {
      const double z = raw(size_x * (static_cast<double>(i) / kSteps - 0.5),
                           size_y * (static_cast<double>(j) / kSteps - 0.5));
      low = i + j == 0 ? z : std::min(low, z);
      high = i + j == 0 ? z : std::max(high, z);
    }
  }
  scale_ = high > low ? height / (high - low) : 0.0;
  offset_ = raw(0.0, 0.0);
}

double Relief::raw(double x, double y) const {
  double z = 0.0;
  for (const Wave& wave : waves_) {
    z += wave.amplitude * std::sin(wave.kx * x + wave.ky * y + wave.phase);
  }
  return z;
}

void layGround(const Eigen::AlignedBox2d& area, double roughness,
               const std::function<double(double, double)>& height, SurfaceSampler& sampler) {
  RandomStream& random = sampler.random();
  const Eigen::Vector2d low = area.min(), size = area.sizes();
  const auto columns = std::max(1L, std::lround(size.x() / sampler.spacing()));
  const auto rows = std::max(1L, std::lround(size.y() / sampler.spacing()));
  for (long row = 0; row < rows; ++row) {
    for (long column = 0; column < columns; ++column) {
      const double du = 0.9 * (random.uniform() - 0.5);
      const double dv = 0.9 * (random.uniform() - 0.5);
      const double u = (static_cast<double>(column) + 0.5 + du) / static_cast<double>(columns);
      const double v = (static_cast<double>(row) + 0.5 + dv) / static_cast<double>(rows);
      const double rough = roughness * random.normal();
      const double x = low.x() + size.x() * u, y = low.y() + size.y() * v;
      sampler.point({x, y, height(x, y) + rough}, Eigen::Vector3d::UnitZ());
    }
  }
}

}  // namespace marsim::scene
