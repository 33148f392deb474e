// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Core>

#include "marsim/scene/places.hpp"
#include "scene/places/forest_shapes.hpp"
#include "scene/places/forest_surroundings.hpp"
#include "scene/places/materials.hpp"
#include "scene/places/relief.hpp"
#include "scene/places/surface_sampler.hpp"

namespace marsim::scene {
namespace {

// Random places at least `spacing` apart and `clearing` from the origin, by dart throwing: with a
// density of `density` [1/m^2], fewer if they do not fit.
std::vector<Eigen::Vector2d> scatter(const ForestConfig& config, double density, double spacing,
                                     double clearing, std::vector<Eigen::Vector2d> taken,
                                     RandomStream& random) {
  const std::size_t before = taken.size();
  const auto wanted =
      static_cast<std::size_t>(std::lround(density * config.size_x * config.size_y));
  const double border = 0.4;
  for (std::size_t tries = 60 * wanted; tries > 0 && taken.size() < before + wanted; --tries) {
    const double x = (config.size_x - 2.0 * border) * (random.uniform() - 0.5);
    const double y = (config.size_y - 2.0 * border) * (random.uniform() - 0.5);
    const Eigen::Vector2d place(x, y);
    const bool crowded = place.norm() < clearing ||
                         std::any_of(taken.begin(), taken.end(), [&](const Eigen::Vector2d& other) {
                           return (place - other).norm() < spacing;
                         });
    if (!crowded) taken.push_back(place);
  }
  return {taken.begin() + static_cast<std::ptrdiff_t>(before), taken.end()};
}

void layGround(const ForestConfig& config, const Relief& ground, SurfaceSampler& sampler) {
  RandomStream& random = sampler.random();
  const auto columns = std::max(1L, std::lround(config.size_x / config.spacing));
  const auto rows = std::max(1L, std::lround(config.size_y / config.spacing));
  for (long row = 0; row < rows; ++row) {
    for (long column = 0; column < columns; ++column) {
      const double du = 0.9 * (random.uniform() - 0.5);
      const double dv = 0.9 * (random.uniform() - 0.5);
      const double x = config.size_x * ((column + 0.5 + du) / static_cast<double>(columns) - 0.5);
      const double y = config.size_y * ((row + 0.5 + dv) / static_cast<double>(rows) - 0.5);
      const double rough = config.ground_roughness * random.normal();
      sampler.point({x, y, ground.height(x, y) + rough}, Eigen::Vector3d::UnitZ());
    }
  }
}

}  // namespace

void ForestConfig::declare(Settings& settings) {
  // With a finer spacing the ground alone would have over 10^9 points.
  const double ground = (size_x + 2.0 * surroundings) * (size_y + 2.0 * surroundings);
  const double finest = std::max(kSpacings.low, std::sqrt(ground / 1e9));
  settings.optional("size_x", size_x, "m", kSizes);
  settings.optional("size_y", size_y, "m", kSizes);
  settings.optional("trees_per_100_m2", trees_per_100_m2, "", kTrees);
  settings.optional("min_tree_spacing", min_tree_spacing, "m", kTreeSpacings);
  settings.optional("tree_height", tree_height, "m", kTreeHeights);
  settings.optional("trunk_radius", trunk_radius, "m", kTrunkRadii);
  settings.optional("ground_relief", ground_relief, "m", kReliefs);
  settings.optional("ground_roughness", ground_roughness, "m", kRoughnesses);
  settings.optional("clearing_radius", clearing_radius, "m", kClearings);
  settings.optional("surroundings", surroundings, "m", kSurroundings);
  settings.optional("spacing", spacing, "m", {finest, kSpacings.high});
  settings.optional("range_noise", range_noise, "m", kRangeNoises);
}

map::PointCloud makeForest(const ForestConfig& config) {
  config.validate("forest");
  const Relief ground(config.size_x, config.size_y, config.ground_relief, config.seed);
  const auto on_ground = [&](const Eigen::Vector2d& p) {
    return Eigen::Vector3d(p.x(), p.y(), ground.height(p.x(), p.y()));
  };
  // Keeps only the ground within the clearing up to 3 m, and at the border the part of each tree on
  // its own side.
  bool surrounding = false;
  const double keep_out = std::max(1.2, 0.8 * config.clearing_radius);
  const auto keep = [&](const Eigen::Vector3d& p) {
    const auto within = [&](double margin) {
      return std::abs(p.x()) <= 0.5 * config.size_x + margin &&
             std::abs(p.y()) <= 0.5 * config.size_y + margin;
    };
    const double above = p.z() - ground.height(p.x(), p.y());
    const bool in_clearing = p.head<2>().norm() < keep_out && above > 0.1 && above < 3.0;
    const bool in_part = surrounding ? !within(0.0) && within(config.surroundings) : within(0.0);
    return in_part && !in_clearing;
  };

  RandomStream layout(config.seed, "layout");
  SurfaceSampler sampler(RandomStream(config.seed, "surfaces"), config.spacing, config.range_noise,
                         keep);
  sampler.vary(config.seed, 0.0);
  sampler.setMaterial(material::kGrass);
  layGround(config, ground, sampler);

  const std::vector<Eigen::Vector2d> trees =
      scatter(config, config.trees_per_100_m2 / 100.0, config.min_tree_spacing,
              config.clearing_radius + 1.5 * config.trunk_radius, {}, layout);
  for (const Eigen::Vector2d& place : trees) {
    TreeDimensions shape;
    shape.foot = on_ground(place) - 0.05 * Eigen::Vector3d::UnitZ();
    const double size = std::clamp(1.0 + 0.18 * layout.normal(), 0.6, 1.5);
    const double thickness = std::clamp(1.0 + 0.15 * layout.normal(), 0.6, 1.5);
    shape.height = config.tree_height * size;
    shape.radius = config.trunk_radius * size * thickness;
    shape.conifer = layout.uniform() < 0.4;
    sampler.beginThing();
    growTree(shape, sampler);
    sampler.endThing();
  }
  const double undergrowth_clearing = config.clearing_radius + 0.8;
  for (const Eigen::Vector2d& place :
       scatter(config, 0.012, 1.0, undergrowth_clearing, trees, layout)) {
    growBush(on_ground(place), layout.uniform(0.35, 0.7), sampler);
  }
  for (const Eigen::Vector2d& place :
       scatter(config, 0.006, 1.0, undergrowth_clearing, trees, layout)) {
    placeRock(on_ground(place), layout.uniform(0.2, 0.6), sampler);
  }
  if (config.surroundings > 0.0) {
    surrounding = true;
    surroundForest(config, ground, sampler);
  }
  return sampler.takeCloud();
}

}  // namespace marsim::scene
