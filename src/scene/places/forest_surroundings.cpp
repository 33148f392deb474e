// SPDX-License-Identifier: BSD-3-Clause
#include "scene/places/forest_surroundings.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "scene/places/forest_shapes.hpp"
#include "scene/places/materials.hpp"

namespace marsim::scene {
namespace {

constexpr double kLeastTrees = 4.0;  // per 100 m^2
constexpr double kBushes = 0.03;     // per 1 m^2
constexpr double kBank = 0.5;        // the bank's height over the width of the surroundings
constexpr double kLevel = 0.2;       // share of the width before the ground begins to rise

/// The ring of ground around a forest's extent.
class Ring {
 public:
  Ring(const ForestConfig& config, const Relief& relief) : config_(config), relief_(relief) {
    // The simulator's ground plane is at the map's lowest point, which must be the forest's.
    lowest_ = relief.height(0.0, 0.0);
    for (double x = -half().x(); x <= half().x(); x += 0.5) {
      for (double y = -half().y(); y <= half().y(); y += 0.5) {
        lowest_ = std::min(lowest_, relief.height(x, y));
      }
    }
    lowest_ += 6.0 * config.ground_roughness;
  }

  double width() const { return config_.surroundings; }
  Eigen::Vector2d half() const { return 0.5 * Eigen::Vector2d(config_.size_x, config_.size_y); }
  Eigen::Vector2d outerHalf() const { return half().array() + width(); }
  double area() const { return 4.0 * (outerHalf().prod() - half().prod()); }

  /// Distance [m] outside the extent; 0 inside.
  double outside(double x, double y) const {
    const Eigen::Vector2d beyond = (Eigen::Vector2d(x, y).cwiseAbs() - half()).cwiseMax(0.0);
    return beyond.norm();
  }
  double height(double x, double y) const {
    const double share = std::clamp((outside(x, y) / width() - kLevel) / (1.0 - kLevel), 0.0, 1.0);
    const double rise = kBank * width() * share * share * (3.0 - 2.0 * share);
    return std::max(lowest_, relief_.height(x, y)) + rise;
  }
  Eigen::Vector3d onGround(const Eigen::Vector2d& p) const {
    return {p.x(), p.y(), height(p.x(), p.y())};
  }

 private:
  const ForestConfig& config_;
  const Relief& relief_;
  double lowest_ = 0.0;
};

void layGround(const ForestConfig& config, const Ring& ring, SurfaceSampler& sampler) {
  sampler.setMaterial(material::kGrass);
  RandomStream& random = sampler.random();
  const Eigen::Vector2d size = 2.0 * ring.outerHalf();
  const auto columns = std::max(1L, std::lround(size.x() / config.spacing));
  const auto rows = std::max(1L, std::lround(size.y() / config.spacing));
  for (long row = 0; row < rows; ++row) {
    for (long column = 0; column < columns; ++column) {
      const double u = (static_cast<double>(column) + 0.5) / static_cast<double>(columns) - 0.5;
      const double v = (static_cast<double>(row) + 0.5) / static_cast<double>(rows) - 0.5;
      if (ring.outside(size.x() * u, size.y() * v) == 0.0) continue;
      const double x = size.x() * u + 0.9 * config.spacing * (random.uniform() - 0.5);
      const double y = size.y() * v + 0.9 * config.spacing * (random.uniform() - 0.5);
      const double rough = config.ground_roughness * random.normal();
      sampler.point({x, y, ring.height(x, y) + rough}, Eigen::Vector3d::UnitZ());
    }
  }
}

// Places in the ring at least `spacing` [m] apart, with up to `density` [1/m^2].
std::vector<Eigen::Vector2d> scatter(const ForestConfig& config, const Ring& ring, double density,
                                     double spacing, RandomStream& random) {
  std::vector<Eigen::Vector2d> places;
  const auto wanted = static_cast<std::size_t>(std::lround(density * ring.area()));
  const Eigen::Vector2d half = ring.outerHalf();
  for (std::size_t tries = 60 * wanted; tries > 0 && places.size() < wanted; --tries) {
    const double x = random.uniform(-half.x(), half.x());
    const double y = random.uniform(-half.y(), half.y());
    const Eigen::Vector2d place(x, y);
    const bool crowded =
        std::any_of(places.begin(), places.end(),
                    [&](const Eigen::Vector2d& other) { return (place - other).norm() < spacing; });
    const double keep_out = config.clearing_radius + 2.0 * config.trunk_radius;
    if (ring.outside(x, y) < 0.5 || crowded || place.norm() < keep_out) continue;
    places.push_back(place);
  }
  return places;
}

}  // namespace

void surroundForest(const ForestConfig& config, const Relief& relief, SurfaceSampler& sampler) {
  const Ring ring(config, relief);
  RandomStream layout(config.seed, "surroundings");
  sampler.random() = RandomStream(config.seed, "surfaces of the surroundings");
  layGround(config, ring, sampler);
  const double trees = std::max(config.trees_per_100_m2, kLeastTrees) / 100.0;
  for (const Eigen::Vector2d& place :
       scatter(config, ring, trees, config.min_tree_spacing, layout)) {
    TreeDimensions shape;
    shape.foot = ring.onGround(place) - 0.05 * Eigen::Vector3d::UnitZ();
    const double size = layout.uniform(0.75, 1.25);
    shape.height = config.tree_height * size;
    shape.radius = config.trunk_radius * size;
    shape.conifer = layout.uniform() < 0.5;
    sampler.beginThing();
    growTree(shape, sampler);
    sampler.endThing();
  }
  for (const Eigen::Vector2d& place : scatter(config, ring, kBushes, 1.0, layout)) {
    growBush(ring.onGround(place), layout.uniform(0.4, 0.9), sampler);
  }
}

}  // namespace marsim::scene
