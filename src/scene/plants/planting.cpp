// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/planting.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "scene/plants/species.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector2d;

constexpr double kPlantsAPatch = 64.0;                      // stems
constexpr double kPatchSideMin = 0.5, kPatchSideMax = 2.0;  // [m]
constexpr double kLeastAPatch = 8.0;                        // stems; with fewer they stand singly
constexpr std::uint32_t kPatchVariants = 16, kPlantVariants = 8;
constexpr double kMostPrimitives = 2e7;  // stems, twigs and leaves in all patches

/// A stand with its region inside the map, and the arrangement of its instances.
struct Bed {
  const StandConfig* stand;
  std::string where;
  Vector2d low, size;  // [m]
  bool is_tiled;
  Eigen::Array2i tiles;  // of a tiled stand
  Vector2d side;         // [m] of a tile

  double plants() const { return stand->density * size.prod(); }
  double instances() const {
    return is_tiled ? static_cast<double>(tiles[0]) * tiles[1] : plants();
  }
};

Bed bedOf(const StandConfig& stand, const Eigen::AlignedBox3d& bounds, const std::string& where) {
  const Vector2d low = stand.region.min().cwiseMax(bounds.min()).head<2>();
  const Vector2d high = stand.region.max().cwiseMin(bounds.max()).head<2>();
  if (!((high - low).minCoeff() > 0.0)) {
    const Eigen::Vector3d &min = stand.region.min(), &max = stand.region.max();
    throw ConfigError(
        where, "region",
        fmt::format("({:g}, {:g}) to ({:g}, {:g}) m", min.x(), min.y(), max.x(), max.y()),
        fmt::format("a part of the map's ({:.1f}, {:.1f}) to ({:.1f}, {:.1f}) m", bounds.min().x(),
                    bounds.min().y(), bounds.max().x(), bounds.max().y()));
  }
  Bed bed{&stand, where, low, high - low, false, {0, 0}, Vector2d::Zero()};
  const double side =
      std::clamp(std::sqrt(kPlantsAPatch / stand.density), kPatchSideMin, kPatchSideMax);
  bed.is_tiled = stand.species.kind == SpeciesConfig::Kind::kStems &&
                 stand.density * side * side >= kLeastAPatch;
  // Whole numbers might overflow; too many tiles are rejected anyway.
  const Eigen::Array2d tiles = (bed.size.array() / side).round().max(1.0).min(1e6);
  bed.tiles = tiles.cast<int>();
  bed.side = bed.size.array() / tiles;
  return bed;
}

/// Primitives of all patches that a stand grows.
double primitivesOf(const Bed& bed) {
  const SpeciesConfig& species = bed.stand->species;
  const double of_plant = species.kind == SpeciesConfig::Kind::kShrub
                              ? 1.0 + species.twigs + species.leaves
                              : static_cast<double>(species.pieces);
  if (!bed.is_tiled) return kPlantVariants * of_plant;
  return kPatchVariants * of_plant * std::max(1.0, bed.stand->density * bed.side.prod());
}

void requireFew(const std::vector<Bed>& beds) {
  double plants = 0.0, instances = 0.0, primitives = 0.0;
  for (const Bed& bed : beds) {
    primitives += primitivesOf(bed);
    if (primitives > kMostPrimitives) {
      throw ConfigError(
          bed.where, "species",
          fmt::format("{:.3g} stems, twigs and leaves in different patches", primitives),
          fmt::format("at most {:.0e} in all stands: fewer pieces, twigs, leaves or "
                      "stems a square metre",
                      kMostPrimitives));
    }
    plants += bed.plants();
    instances += bed.instances();
    if (plants <= kMaxPlants && instances <= kMaxPlantInstances) continue;
    throw ConfigError(bed.where, "density",
                      fmt::format("{:g} /m^2, {:.3g} plants in {:.3g} instances",
                                  bed.stand->density, plants, instances),
                      fmt::format("at most {:.0e} plants in {:.0e} instances in all stands",
                                  kMaxPlants, kMaxPlantInstances));
  }
}

class Planter {
 public:
  Planter(const VegetationConfig& config, const GroundHeights& ground,
          const Eigen::AlignedBox3d& bounds)
      : config_(config), ground_(ground), bounds_(bounds) {
    vegetation_.sway = config.sway;
    vegetation_.origin = bounds.center().array().round();
  }

  void plant(const Bed& bed, std::size_t number) {
    RandomStream random(config_.seed, fmt::format("vegetation {}", number));
    std::size_t tried = 0;
    const std::size_t before = vegetation_.instances.size();
    const auto first = static_cast<std::uint32_t>(vegetation_.patches.size());
    if (bed.is_tiled) {
      growTiles(bed, random);
      tried = setTiles(bed, first, random);
    } else {
      growSingles(bed, random);
      tried = setSingles(bed, first, random);
    }
    if (tried == 0 || vegetation_.instances.size() > before) return;
    throw ConfigError(
        bed.where, "region",
        fmt::format("({:g}, {:g}) to ({:g}, {:g}) m, without any ground of the map", bed.low.x(),
                    bed.low.y(), bed.low.x() + bed.size.x(), bed.low.y() + bed.size.y()),
        "where the map has ground");
  }

  Vegetation take() { return std::move(vegetation_); }

 private:
  std::vector<double> heightsAt(const Bed& bed, const std::vector<Vector2d>& places) const {
    return ground_(places, std::max(bed.stand->region.min().z(), bounds_.min().z() - 1.0),
                   std::min(bed.stand->region.max().z(), bounds_.max().z() + 1.0));
  }

  Patch& addPatch(const Bed& bed) {
    Patch& patch = vegetation_.patches.emplace_back();
    patch.is_obstacle = bed.stand->species.is_obstacle;
    return patch;
  }

  // Numbers of stems per tile scatter like those of independent stems.
  void growTiles(const Bed& bed, RandomStream& random) {
    const double mean = bed.stand->density * bed.side.prod();
    for (std::uint32_t i = 0; i < kPatchVariants; ++i) {
      Patch& patch = addPatch(bed);
      const double count = std::max(1.0, std::round(mean + std::sqrt(mean) * random.normal()));
      for (double plant = 0.0; plant < count; ++plant) {
        const Vector2d share(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5));
        growPlant(bed.stand->species, share.cwiseProduct(bed.side), random, patch);
      }
    }
  }

  void growSingles(const Bed& bed, RandomStream& random) {
    for (std::uint32_t i = 0; i < kPlantVariants; ++i) {
      growPlant(bed.stand->species, Vector2d::Zero(), random, addPatch(bed));
    }
  }

  PlantInstance& add(const Vector2d& place, double height, std::uint32_t patch) {
    PlantInstance& instance = vegetation_.instances.emplace_back();
    instance.foot =
        (Eigen::Vector3d(place.x(), place.y(), height) - vegetation_.origin).cast<float>();
    instance.patch = patch;
    return instance;
  }

  // Sets tiles on the plane through their corners' ground, or level if that plane is unusable.
  // Returns the number of tiles for which there would be room.
  std::size_t setTiles(const Bed& bed, std::uint32_t first, RandomStream& random) {
    std::vector<Vector2d> corners;
    for (int y = 0; y <= bed.tiles[1]; ++y) {
      for (int x = 0; x <= bed.tiles[0]; ++x) {
        corners.push_back(bed.low + Vector2d(x, y).cwiseProduct(bed.side));
      }
    }
    const std::vector<double> heights = heightsAt(bed, corners);
    for (int y = 0; y < bed.tiles[1]; ++y) {
      for (int x = 0; x < bed.tiles[0]; ++x) {
        const std::uint32_t patch =
            first + static_cast<std::uint32_t>(random.index(kPatchVariants));
        const bool turned = random.index(2) == 1;
        const double scale = random.uniform(bed.stand->scale_min, bed.stand->scale_max);
        const std::size_t row = static_cast<std::size_t>(bed.tiles[0]) + 1;
        const std::size_t corner = static_cast<std::size_t>(y) * row + static_cast<std::size_t>(x);
        const double h[4] = {heights[corner], heights[corner + 1], heights[corner + row],
                             heights[corner + row + 1]};
        const double middle = 0.25 * (h[0] + h[1] + h[2] + h[3]);
        if (std::isnan(middle)) continue;
        const Vector2d place = corners[corner] + 0.5 * bed.side;
        const Vector2d slope(0.5 * (h[1] - h[0] + h[3] - h[2]) / bed.side.x(),
                             0.5 * (h[2] - h[0] + h[3] - h[1]) / bed.side.y());
        const bool is_even = slope.norm() < 1.0;
        PlantInstance& instance = add(place, is_even ? middle : *std::min_element(h, h + 4), patch);
        if (is_even) instance.slope = slope.cast<float>();
        if (turned) instance.yaw_cosine = -1.0F;
        instance.height = static_cast<float>(scale);
      }
    }
    return static_cast<std::size_t>(bed.tiles[0]) * static_cast<std::size_t>(bed.tiles[1]);
  }

  std::size_t setSingles(const Bed& bed, std::uint32_t first, RandomStream& random) {
    const auto count = static_cast<std::size_t>(std::floor(bed.plants() + random.uniform()));
    std::vector<Vector2d> places;
    for (std::size_t i = 0; i < count; ++i) {
      const Vector2d share(random.uniform(), random.uniform());
      places.push_back(bed.low + share.cwiseProduct(bed.size));
    }
    const std::vector<double> heights = heightsAt(bed, places);
    for (std::size_t i = 0; i < count; ++i) {
      const auto patch = first + static_cast<std::uint32_t>(random.index(kPlantVariants));
      const double yaw = random.uniform(0.0, 2.0 * kPi);
      const double scale = random.uniform(bed.stand->scale_min, bed.stand->scale_max);
      if (std::isnan(heights[i])) continue;
      PlantInstance& instance = add(places[i], heights[i], patch);
      instance.yaw_cosine = static_cast<float>(std::cos(yaw));
      instance.yaw_sine = static_cast<float>(std::sin(yaw));
      instance.height = static_cast<float>(scale);
      if (bed.stand->species.kind == SpeciesConfig::Kind::kShrub) instance.width = instance.height;
    }
    return count;
  }

  const VegetationConfig& config_;
  const GroundHeights& ground_;
  const Eigen::AlignedBox3d& bounds_;
  Vegetation vegetation_;
};

}  // namespace

void SpeciesConfig::declare(Settings& settings) {
  settings.required("kind", kind, {{"stems", Kind::kStems}, {"shrub", Kind::kShrub}});
  const bool is_shrub = kind == Kind::kShrub;
  if (is_shrub && settings.isReading() && !settings.inFile("height")) {
    settings.fail("height", "absent", "the heights of a shrub");
  }
  settings.optional("height", height_min, height_max, "m", {0.01, 100.0});
  settings.optional("diameter", diameter_min, diameter_max, "m", {1e-4, 5.0});
  settings.optional("reflectivity", reflectivity, "", kShare);
  settings.optional("class", semantic_class, map::semantic::names());
  settings.optional("obstacle", is_obstacle);
  if (!is_shrub) {
    settings.optional("lean", lean, "rad", {0.0, radians(90.0)});
    settings.optional("pieces", pieces, "", {1.0, 16.0});
    return;
  }
  settings.required("crown", [&](Settings& crown) {
    crown.required("width", crown_width, "m", {0.01, 100.0});
    crown.required("height", crown_height, "m", {0.01, height_min});
  });
  settings.optional("twigs", twigs, "", {0.0, 10'000.0});
  settings.optional("twig_diameter", twig_diameter, "m", {1e-4, 1.0});
  settings.optional("leaves", leaves, "", {0.0, 100'000.0});
  settings.optional("leaf", leaf_min, leaf_max, "m", {1e-3, 10.0});
  settings.optional("wood", [&](Settings& wood) {
    wood.optional("reflectivity", wood_reflectivity, "", kShare);
    wood.optional("class", wood_class, map::semantic::names());
  });
}

void StandConfig::declare(Settings& settings) {
  settings.required("density", density, "/m^2", kPositive);
  settings.optional("scale", scale_min, scale_max, "", {0.01, 100.0});
}

void VegetationConfig::validate(const std::string& where) const {
  sway.validate(where + ": wind");
  for (std::size_t i = 0; i < stands.size(); ++i) {
    const std::string place = fmt::format("{}: stands[{}]", where, i);
    const StandConfig& stand = stands[i];
    const Validator check(place);
    checkSettings(place, stand);
    check.require(!stand.region.isEmpty(), "region", "empty", "a min below its max");
    stand.species.validate(place + ": species");
  }
}

bool VegetationConfig::hasObstacles() const {
  return std::any_of(stands.begin(), stands.end(),
                     [](const StandConfig& stand) { return stand.species.is_obstacle; });
}

Vegetation plantVegetation(const VegetationConfig& config, const Eigen::AlignedBox3d& bounds,
                           const GroundHeights& ground, const std::string& where) {
  config.validate(where);
  std::vector<Bed> beds;
  for (std::size_t i = 0; i < config.stands.size(); ++i) {
    beds.push_back(bedOf(config.stands[i], bounds, fmt::format("{}: stands[{}]", where, i)));
  }
  requireFew(beds);
  Planter planter(config, ground, bounds);
  for (std::size_t i = 0; i < beds.size(); ++i) planter.plant(beds[i], i);
  return planter.take();
}

}  // namespace marsim::scene
