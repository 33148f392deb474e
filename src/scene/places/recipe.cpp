// SPDX-License-Identifier: BSD-3-Clause
#include "scene/places/recipe.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/scene/places.hpp"
#include "scene/places/parts.hpp"
#include "scene/places/relief.hpp"
#include "scene/places/surface_sampler.hpp"

namespace marsim::scene {
namespace {

constexpr double kFreeHeight = 3.0;  // [m] above the start that is free of scattered parts

/// Builds the parts of a recipe one after another, each with its own random streams, so that a
/// change of one part leaves the others unchanged.
class Composer {
 public:
  Composer(const Recipe& recipe, const std::string& where)
      : recipe_(recipe),
        where_(where),
        relief_(recipe.size.x() + 2.0 * margin(), recipe.size.y() + 2.0 * margin(),
                recipe.ground ? recipe.ground->relief : 0.0, recipe.seed),
        start_(recipe.start.x(), recipe.start.y(),
               recipe.start.z() + height(recipe.start.x(), recipe.start.y())),
        sampler_(RandomStream(recipe.seed, "surfaces"), recipe.spacing, recipe.range_noise,
                 [this](const Eigen::Vector3d& p_W) { return keeps(p_W); }) {
    sampler_.vary(recipe.seed, recipe.density_variation);
  }

  void layGround();
  void add(const Part& part, const std::string& name, bool outside) {
    outside_ = outside;
    layout_ = RandomStream(recipe_.seed, name);
    place(part, Eigen::Isometry3d::Identity(), name, false, true);
  }
  map::PointCloud take() { return sampler_.takeCloud(); }

 private:
  double margin() const { return recipe_.ground ? recipe_.ground->margin : 0.0; }
  double height(double x, double y) const {
    return relief_.height(x - 0.5 * recipe_.size.x(), y - 0.5 * recipe_.size.y());
  }
  bool keeps(const Eigen::Vector3d& p_W) const;
  void place(const Part& part, const Eigen::Isometry3d& X_RG, const std::string& name,
             bool scattered, bool on_ground);
  void build(const Part& part, const Eigen::Isometry3d& X_RP, double scale, const std::string& name,
             bool on_ground);
  std::vector<Eigen::Vector2d> scatter(const Part& part, const Eigen::Isometry3d& X_RG,
                                       const std::string& name);

  struct Taken {
    Eigen::Vector2d place;
    double radius;
  };
  const Recipe& recipe_;
  const std::string& where_;
  Relief relief_;
  Eigen::Vector3d start_;
  SurfaceSampler sampler_;
  RandomStream layout_{0};  // for places and sizes, the same at every spacing
  std::vector<Taken> taken_;
  bool outside_ = false;
  bool scattered_ = false;
};

bool Composer::keeps(const Eigen::Vector3d& p_W) const {
  if (scattered_ && p_W.head<2>().norm() < recipe_.clearing && p_W.z() > 0.2 &&
      p_W.z() < kFreeHeight) {
    return false;
  }
  if (outside_) return true;
  const Eigen::Vector3d p = p_W + start_;
  const double rim = 4.0 * recipe_.range_noise;
  return p.x() > -rim && p.y() > -rim && p.x() < recipe_.size.x() + rim &&
         p.y() < recipe_.size.y() + rim && p.z() < recipe_.size.z() + rim;
}

void Composer::layGround() {
  outside_ = true;
  scattered_ = false;
  sampler_.random() = RandomStream(recipe_.seed, "laying the ground");
  sampler_.setMaterial(recipe_.ground->surface.over(material::kGrass));
  sampler_.setFrame(Eigen::Isometry3d(Eigen::Translation3d(-start_)));
  const Eigen::Vector2d size = recipe_.size.head<2>();
  scene::layGround(
      {Eigen::Vector2d::Constant(-margin()), Eigen::Vector2d(size.array() + margin())},
      recipe_.ground->roughness, [this](double x, double y) { return height(x, y); }, sampler_);
}

std::vector<Eigen::Vector2d> Composer::scatter(const Part& part, const Eigen::Isometry3d& X_RG,
                                               const std::string& name) {
  const Scatter& wish = *part.scatter;
  const bool ring = wish.area.isEmpty() && outside_;
  Eigen::AlignedBox2d area = wish.area;
  if (area.isEmpty()) area = {Eigen::Vector2d::Zero(), Eigen::Vector2d(recipe_.size.head<2>())};
  const double inner = ring ? area.volume() : 0.0;
  const Eigen::AlignedBox2d hole = area;
  if (ring)
    area = {Eigen::Vector2d(area.min().array() - margin()),
            Eigen::Vector2d(area.max().array() + margin())};
  const auto wanted =
      wish.count > 0
          ? static_cast<std::size_t>(wish.count)
          : static_cast<std::size_t>(std::lround(wish.density * (area.volume() - inner)));
  const double radius = part.scale_max * footprint(part);
  std::vector<Eigen::Vector2d> places;
  for (std::size_t tries = 200 * wanted; tries > 0 && places.size() < wanted; --tries) {
    const double x = layout_.uniform(area.min().x(), area.max().x());
    const double y = layout_.uniform(area.min().y(), area.max().y());
    const Eigen::Vector2d place(x, y);
    if (ring && hole.contains(place)) continue;
    const Eigen::Vector2d on_map = (X_RG * Eigen::Vector3d(x, y, 0.0)).head<2>();
    const double to_start = (on_map - start_.head<2>()).norm();
    if (to_start < recipe_.clearing + std::min(radius, 1.0)) continue;
    if (wish.gap > 0.0) {
      const auto near = [&](const Taken& other) {
        return (on_map - other.place).norm() < wish.gap + radius + other.radius;
      };
      if (std::any_of(taken_.begin(), taken_.end(), near)) continue;
      taken_.push_back({on_map, radius});
    }
    places.push_back(place);
  }
  if (places.size() < wanted) {
    throw ConfigError(where_, name + ".scatter",
                      fmt::format("{} of the part {}", wanted, part.kind),
                      fmt::format("as many as fit (about {}), or a smaller gap", places.size()));
  }
  return places;
}

void Composer::place(const Part& part, const Eigen::Isometry3d& X_RG, const std::string& name,
                     bool scattered, bool on_ground) {
  const auto put = [&](const Eigen::Vector3d& at, double yaw) {
    if (part.share < 1.0 && layout_.uniform() >= part.share) return;
    const double scale = part.scale_max > part.scale_min
                             ? layout_.uniform(part.scale_min, part.scale_max)
                             : part.scale_min;
    Eigen::Isometry3d X_RP =
        X_RG * Eigen::Translation3d(at) * Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ());
    if (on_ground) {
      X_RP.translation().z() += height(X_RP.translation().x(), X_RP.translation().y());
    }
    scattered_ = scattered || part.scatter.has_value();
    build(part, X_RP, scale, name, on_ground);
  };
  if (part.scatter) {
    for (const Eigen::Vector2d& spot : scatter(part, X_RG, name)) {
      const double yaw = part.scatter->turn ? layout_.uniform(0.0, 2.0 * kPi) : 0.0;
      put(part.at + Eigen::Vector3d(spot.x(), spot.y(), 0.0), part.yaw + yaw);
    }
    return;
  }
  for (int k = 0; k < part.count[2]; ++k) {
    for (int j = 0; j < part.count[1]; ++j) {
      for (int i = 0; i < part.count[0]; ++i) {
        put(part.at + part.step.cwiseProduct(Eigen::Vector3d(i, j, k)), part.yaw);
      }
    }
  }
}

void Composer::build(const Part& part, const Eigen::Isometry3d& X_RP, double scale,
                     const std::string& name, bool on_ground) {
  if (part.kind == "group") {
    const bool scattered = scattered_;
    for (const Part& inner : part.parts) place(inner, X_RP, name, scattered, false);
    return;
  }
  Eigen::Isometry3d X_WP = X_RP;
  X_WP.translation() -= start_;
  sampler_.setFrame(X_WP);
  const auto ground = [&](double x, double y) {
    if (!on_ground) return 0.0;
    const Eigen::Vector3d p = X_RP * Eigen::Vector3d(x, y, 0.0);
    return height(p.x(), p.y()) - X_RP.translation().z() + part.at.z();
  };
  const RandomStream random(layout_.next());
  sampler_.random() = RandomStream(layout_.next());
  PartBuilder builder(part, scale, random, ground, sampler_);
  const PartKind& kind = *findPartKind(part.kind);
  if (kind.is_thing) sampler_.beginThing();
  kind.build(builder);
  sampler_.endThing();
}

}  // namespace

void GroundConfig::declare(Settings& settings) {
  settings.optional("relief", relief, "m", {0.0, 50.0});
  settings.optional("roughness", roughness, "m", {0.0, 1.0});
  settings.optional("margin", margin, "m", {0.0, 200.0});
}

void Recipe::declare(Settings& settings) {
  // With a finer spacing the floor alone would have over 10^9 points.
  const double finest = std::max(kSpacings.low, std::sqrt(size.x() * size.y() / 1e9));
  settings.required("size", size, "m", {2.0, 2000.0});
  settings.required("start", start, "m");
  settings.optional("clearing", clearing, "m", {0.0, 100.0});
  settings.optional("spacing", spacing, "m", {finest, kSpacings.high});
  settings.optional("range_noise", range_noise, "m", kRangeNoises);
  settings.optional("density_variation", density_variation, "", {0.0, 0.9});
}

void Recipe::validate(const std::string& where) const {
  checkSettings(where, *this);
  for (int axis = 0; axis < 3; ++axis) {
    Bounds{axis == 2 ? -100.0 : 0.0, size[axis]}.require(where, fmt::format("start[{}]", axis),
                                                         start[axis], "m");
  }
  if (ground) checkSettings(where, *ground, "ground.");
}

map::PointCloud makeRecipe(const Recipe& recipe, const std::string& where, Progress& progress) {
  recipe.validate(where);
  Composer composer(recipe, where);
  progress.phase("composing", recipe.parts.size() + recipe.surroundings.size());
  if (recipe.ground) composer.layGround();
  std::size_t done = 0;
  const auto addAll = [&](const std::vector<Part>& parts, const char* list, bool outside) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      composer.add(parts[i], fmt::format("{}[{}]", list, i), outside);
      progress.update(++done);
    }
  };
  addAll(recipe.parts, "parts", false);
  addAll(recipe.surroundings, "surroundings", true);
  progress.finish();
  map::PointCloud cloud = composer.take();
  if (cloud.empty()) throw ConfigError(where, "parts", "without a point", "parts within the size");
  return cloud;
}

}  // namespace marsim::scene
