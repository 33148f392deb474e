// SPDX-License-Identifier: BSD-3-Clause
#include "scene/plants/species.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/units.hpp"
#include "scene/places/surface_sampler.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

std::uint8_t byteOf(double reflectivity) {
  return static_cast<std::uint8_t>(std::lround(255.0 * reflectivity));
}

// Grows a stem of pieces that lean more and more to one side.
void growStem(const SpeciesConfig& species, const Vector3d& foot, RandomStream& random,
              Patch& patch) {
  const double height = random.uniform(species.height_min, species.height_max);
  const double radius = 0.5 * random.uniform(species.diameter_min, species.diameter_max);
  const double lean = species.lean * random.uniform(), azimuth = random.uniform(0.0, 2.0 * kPi);
  Vector3d from = foot;
  for (int i = 0; i < species.pieces; ++i) {
    const double angle = std::min((i + 1) * lean, radians(120.0));
    const Vector3d along(std::sin(angle) * std::cos(azimuth), std::sin(angle) * std::sin(azimuth),
                         std::cos(angle));
    const Vector3d to = from + height / species.pieces * along;
    const double share = species.pieces == 1 ? 0.0 : static_cast<double>(i) / (species.pieces - 1);
    patch.cylinders.push_back({from.cast<float>(), to.cast<float>(),
                               static_cast<float>(radius * (1.0 - 0.5 * share)),
                               byteOf(species.reflectivity), species.semantic_class});
    from = to;
  }
}

// Grows a shrub. Leaves are denser at the crown's skin, so that light and lasers pass.
void growShrub(const SpeciesConfig& species, const Vector3d& foot, RandomStream& random,
               Patch& patch) {
  const double height = random.uniform(species.height_min, species.height_max);
  const double radius = 0.5 * random.uniform(species.diameter_min, species.diameter_max);
  const Vector3d half(0.5 * species.crown_width, 0.5 * species.crown_width,
                      0.5 * species.crown_height);
  const Vector3d middle = foot + Vector3d(0, 0, height - half.z());
  const std::uint8_t wood = byteOf(species.wood_reflectivity);
  patch.cylinders.push_back({foot.cast<float>(), middle.cast<float>(), static_cast<float>(radius),
                             wood, species.wood_class});
  for (int i = 0; i < species.twigs; ++i) {
    const Vector3d from = middle - random.uniform(0.0, 0.8) * Vector3d(0, 0, half.z());
    const Vector3d to =
        middle + random.uniform(0.6, 0.95) * half.cwiseProduct(randomDirection(random));
    patch.cylinders.push_back({from.cast<float>(), to.cast<float>(),
                               static_cast<float>(0.5 * species.twig_diameter), wood,
                               species.wood_class});
  }
  for (int i = 0; i < species.leaves; ++i) {
    const double reach = std::cbrt(random.uniform(0.1, 1.0));
    const Vector3d centre = middle + reach * half.cwiseProduct(randomDirection(random));
    patch.discs.push_back(
        {centre.cast<float>(), randomDirection(random).normalized().cast<float>(),
         static_cast<float>(0.5 * random.uniform(species.leaf_min, species.leaf_max)),
         byteOf(species.reflectivity), species.semantic_class});
  }
}

}  // namespace

void growPlant(const SpeciesConfig& species, const Eigen::Vector2d& foot, RandomStream& random,
               Patch& patch) {
  const Vector3d p(foot.x(), foot.y(), 0.0);
  if (species.kind == SpeciesConfig::Kind::kShrub) {
    growShrub(species, p, random, patch);
  } else {
    growStem(species, p, random, patch);
  }
}

}  // namespace marsim::scene
