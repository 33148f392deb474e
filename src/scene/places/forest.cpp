// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <Eigen/Core>

#include "marsim/scene/places.hpp"
#include "scene/places/forest_shapes.hpp"
#include "scene/places/materials.hpp"
#include "scene/places/relief.hpp"
#include "scene/places/surface_sampler.hpp"

namespace marsim::scene {
namespace {

constexpr double kLeastTrees = 4.0;  // per 100 m^2 of the surroundings
constexpr double kBushes = 0.03;     // per 1 m^2 of the surroundings
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

 private:
  const ForestConfig& config_;
  const Relief& relief_;
  double lowest_ = 0.0;
};

using Places = std::vector<Eigen::Vector2d>;

// Random places within `half` of the origin along x and y, allowed ones at least `spacing` apart
// and from those taken, by dart throwing: `wanted` of them, or fewer if they do not fit.
Places scatter(const Eigen::Vector2d& half, double wanted, double spacing, Places taken,
               const std::function<bool(const Eigen::Vector2d&)>& allowed, RandomStream& random) {
  const std::size_t before = taken.size();
  const auto count = static_cast<std::size_t>(std::lround(wanted));
  for (std::size_t tries = 60 * count; tries > 0 && taken.size() < before + count; --tries) {
    const double x = random.uniform(-half.x(), half.x());
    const double y = random.uniform(-half.y(), half.y());
    const Eigen::Vector2d place(x, y);
    const bool crowded = std::any_of(taken.begin(), taken.end(), [&](const Eigen::Vector2d& other) {
      return (place - other).norm() < spacing;
    });
    if (!crowded && allowed(place)) taken.push_back(place);
  }
  return {taken.begin() + static_cast<std::ptrdiff_t>(before), taken.end()};
}

void plantTree(const ForestConfig& config, const Eigen::Vector3d& ground, double size,
               double thickness, bool conifer, SurfaceSampler& sampler) {
  TreeDimensions shape;
  shape.foot = ground - 0.05 * Eigen::Vector3d::UnitZ();
  shape.height = config.tree_height * size;
  shape.radius = config.trunk_radius * size * thickness;
  shape.conifer = conifer;
  sampler.beginThing();
  growTree(shape, sampler);
  sampler.endThing();
}

// Adds the surroundings, so that a sensor in the forest always sees something: ground that rises to
// a bank, at least as many trees as inside, bushes. Uses no random stream of the forest's own
// layout.
void surround(const ForestConfig& config, const Relief& relief, SurfaceSampler& sampler) {
  const Ring ring(config, relief);
  RandomStream layout(config.seed, "surroundings");
  sampler.random() = RandomStream(config.seed, "surfaces of the surroundings");
  const auto height = [&](double x, double y) { return ring.height(x, y); };
  const auto on_ground = [&](const Eigen::Vector2d& p) {
    return Eigen::Vector3d(p.x(), p.y(), height(p.x(), p.y()));
  };
  sampler.setMaterial(material::kGrass);
  layGround({-ring.outerHalf(), ring.outerHalf()}, config.ground_roughness, height, sampler);
  const double keep_out = config.clearing_radius + 2.0 * config.trunk_radius;
  const auto allowed = [&](const Eigen::Vector2d& place) {
    return ring.outside(place.x(), place.y()) >= 0.5 && place.norm() >= keep_out;
  };
  const double trees = std::max(config.trees_per_100_m2, kLeastTrees) / 100.0;
  for (const Eigen::Vector2d& place : scatter(ring.outerHalf(), trees * ring.area(),
                                              config.min_tree_spacing, {}, allowed, layout)) {
    const double size = layout.uniform(0.75, 1.25);
    plantTree(config, on_ground(place), size, 1.0, layout.uniform() < 0.5, sampler);
  }
  for (const Eigen::Vector2d& place :
       scatter(ring.outerHalf(), kBushes * ring.area(), 1.0, {}, allowed, layout)) {
    growBush(on_ground(place), layout.uniform(0.4, 0.9), sampler);
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
  const Eigen::Vector2d half(0.5 * config.size_x, 0.5 * config.size_y);
  layGround(
      {-half, half}, config.ground_roughness,
      [&](double x, double y) { return ground.height(x, y); }, sampler);

  const auto scattered = [&](double density, double spacing, double clearing, const Places& taken) {
    return scatter(
        half.array() - 0.4, density * config.size_x * config.size_y, spacing, taken,
        [&](const Eigen::Vector2d& place) { return place.norm() >= clearing; }, layout);
  };
  const Places trees = scattered(config.trees_per_100_m2 / 100.0, config.min_tree_spacing,
                                 config.clearing_radius + 1.5 * config.trunk_radius, {});
  for (const Eigen::Vector2d& place : trees) {
    const double size = std::clamp(1.0 + 0.18 * layout.normal(), 0.6, 1.5);
    const double thickness = std::clamp(1.0 + 0.15 * layout.normal(), 0.6, 1.5);
    plantTree(config, on_ground(place), size, thickness, layout.uniform() < 0.4, sampler);
  }
  const double undergrowth_clearing = config.clearing_radius + 0.8;
  for (const Eigen::Vector2d& place : scattered(0.012, 1.0, undergrowth_clearing, trees)) {
    growBush(on_ground(place), layout.uniform(0.35, 0.7), sampler);
  }
  for (const Eigen::Vector2d& place : scattered(0.006, 1.0, undergrowth_clearing, trees)) {
    placeRock(on_ground(place), layout.uniform(0.2, 0.6), sampler);
  }
  if (config.surroundings > 0.0) {
    surrounding = true;
    surround(config, ground, sampler);
  }
  return sampler.takeCloud();
}

}  // namespace marsim::scene
