// SPDX-License-Identifier: BSD-3-Clause
#include "scene/places/surface_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "marsim/common/units.hpp"
#include "scene/places/solid_noise.hpp"

namespace marsim::scene {
namespace {

// Share of a cell in which its point lies: small enough against clumps, large enough to hide the
// grid.
constexpr double kJitter = 0.7;

constexpr double kDensityScale = 2.0;           // [m] over which a scan's density changes
constexpr double kShadeScale = 0.7;             // [m] over which shades change
constexpr double kShade = 0.07, kGrain = 0.04;  // of a colour, smooth and from point to point

int cells(double length, double spacing) {
  return std::max(1, static_cast<int>(std::lround(length / spacing)));
}

bool inside(const SurfaceSampler::Hole& hole, double u, double v) {
  return u > hole.u_min && u < hole.u_max && v > hole.v_min && v < hole.v_max;
}

}  // namespace

SurfaceSampler::SurfaceSampler(RandomStream random, double spacing, double range_noise,
                               std::function<bool(const Eigen::Vector3d&)> keep)
    : random_(random), spacing_(spacing), range_noise_(range_noise), keep_(std::move(keep)) {}

void SurfaceSampler::point(const Eigen::Vector3d& p, const Eigen::Vector3d& normal) {
  Eigen::Vector3d noisy = p + range_noise_ * random_.normal() * normal;
  if (X_WP_) noisy = *X_WP_ * noisy;
  if (keep_ && !keep_(noisy)) return;
  if (density_variation_ > 0.0) {
    const double lacking = density_variation_ * solidNoise(noisy / kDensityScale, seed_);
    if (variation_->uniform() < lacking) return;
  }
  cloud_.points.push_back(noisy.cast<float>());
  if (!material_) return;
  cloud_.intensity.push_back(static_cast<float>(255.0 * material_->reflectivity));
  cloud_.colour.push_back(shaded(material_->colour, noisy));
  cloud_.classes.push_back(material_->semantic_class);
  cloud_.instances.push_back(thing_);
}

void SurfaceSampler::vary(std::uint64_t seed, double density_variation) {
  seed_ = seed;
  variation_ = RandomStream(seed, "variation");
  density_variation_ = density_variation;
}

map::Colour SurfaceSampler::shaded(const map::Colour& colour, const Eigen::Vector3d& p_W) {
  if (!variation_) return colour;
  const double grain = variation_->uniform(-kGrain, kGrain);
  const double shade =
      1.0 + kShade * (2.0 * solidNoise(p_W / kShadeScale, seed_ + 1) - 1.0) + grain;
  map::Colour result;
  for (std::size_t i = 0; i < 3; ++i) {
    result[i] = static_cast<std::uint8_t>(std::lround(std::min(255.0, shade * colour[i])));
  }
  return result;
}

void SurfaceSampler::patch(const Eigen::Vector3d& corner, const Eigen::Vector3d& a,
                           const Eigen::Vector3d& b, const std::vector<Hole>& holes) {
  const Eigen::Vector3d normal = a.cross(b).normalized();
  const int columns = cells(a.norm(), spacing_);
  const int rows = cells(b.norm(), spacing_);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const double du = kJitter * (random_.uniform() - 0.5);
      const double dv = kJitter * (random_.uniform() - 0.5);
      const double u = (column + 0.5 + du) / columns;
      const double v = (row + 0.5 + dv) / rows;
      const bool in_hole = std::any_of(holes.begin(), holes.end(), [&](const Hole& hole) {
        return inside(hole, u * a.norm(), v * b.norm());
      });
      if (!in_hole) point(corner + u * a + v * b, normal);
    }
  }
}

void SurfaceSampler::box(const Eigen::AlignedBox3d& box) {
  const Eigen::Vector3d& low = box.min();
  const Eigen::Vector3d size = box.sizes();
  for (int axis = 0; axis < 3; ++axis) {
    const Eigen::Vector3d a = size[(axis + 1) % 3] * Eigen::Vector3d::Unit((axis + 1) % 3);
    const Eigen::Vector3d b = size[(axis + 2) % 3] * Eigen::Vector3d::Unit((axis + 2) % 3);
    patch(low, a, b);
    patch(low + size[axis] * Eigen::Vector3d::Unit(axis), a, b);
  }
}

void SurfaceSampler::tube(double length, const std::function<Eigen::Vector3d(double)>& axis,
                          const std::function<double(double)>& radius) {
  const int rings = cells(length, spacing_);
  const double step = length / rings;
  for (int ring = 0; ring < rings; ++ring) {
    const double middle = (ring + 0.5) * step;
    const Eigen::Vector3d along = (axis(middle + 0.5 * step) - axis(middle - 0.5 * step));
    const Eigen::Vector3d x = anyNormalTo(along);
    const Eigen::Vector3d y = along.normalized().cross(x);
    // Thin twigs: fewer than three points per ring would not look like tubes.
    const int around = std::max(3, cells(2.0 * kPi * radius(middle), spacing_));
    const double first = random_.uniform();
    for (int i = 0; i < around; ++i) {
      const double jitter = kJitter * (random_.uniform() - 0.5);
      const double angle = 2.0 * kPi * (i + first + jitter) / around;
      const double s = middle + kJitter * (random_.uniform() - 0.5) * step;
      const Eigen::Vector3d normal = std::cos(angle) * x + std::sin(angle) * y;
      point(axis(s) + radius(s) * normal, normal);
    }
  }
}

Eigen::Vector3d anyNormalTo(const Eigen::Vector3d& direction) {
  const Eigen::Vector3d d = direction.normalized();
  const Eigen::Vector3d other =
      std::abs(d.z()) < 0.9 ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d::UnitX();
  return d.cross(other).normalized();
}

Eigen::Vector3d randomDirection(RandomStream& random) {
  const double z = random.uniform(-1.0, 1.0), azimuth = random.uniform(0.0, 2.0 * kPi);
  const double across = std::sqrt(1.0 - z * z);
  return {across * std::cos(azimuth), across * std::sin(azimuth), z};
}

}  // namespace marsim::scene
