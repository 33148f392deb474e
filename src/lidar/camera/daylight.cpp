// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/camera/daylight.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "lidar/camera/dull_day.hpp"
#include "lidar/camera/srgb.hpp"
#include "lidar/cast/workers.hpp"
#include "map/cache/map_cache.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/map/surfel_search.hpp"

namespace marsim::lidar {
namespace {

using Light = Eigen::Vector3f;  // linear; 1: a level white surface in the sun

/// Raise it when the same map gets other light.
constexpr std::uint64_t kVersion = 3;
constexpr std::string_view kSection = "daylight";

/// Light that the byte 255 stands for.
constexpr float kBrightest = 1.3F;
/// [m] Surfaces nearer than this take light away from what they hide.
constexpr float kOpen = 2.5F;
constexpr float kFar = 60.0F, kSunFar = 300.0F;  // [m] lengths of rays
/// Light on a level surface from sun and sky: the sum is 1.
const Light kSunlight(0.70F, 0.63F, 0.52F);
const Light kSkylight(0.41F, 0.46F, 0.54F);
/// Light from surfaces of a room: its ceiling with the lamps, walls, floor.
const Light kFromAbove(0.92F, 0.88F, 0.80F);
const Light kFromAside(0.68F, 0.66F, 0.62F);
const Light kFromBelow(0.40F, 0.39F, 0.36F);
/// Sides whose surroundings are less open than the first lie inside walls and things and look like
/// the other side; from the second on they have their own light.
constexpr float kClosed = 0.12F, kNotClosed = 0.25F;
constexpr float kLeafInSun = 0.5F;  // mean cosine of leaves to the sun

constexpr std::size_t kPerTask = 2048;  // surfels

/// Directions from which light comes.
const std::vector<Eigen::Vector3f>& directions() {
  static const std::vector<Eigen::Vector3f> all = [] {
    std::vector<Eigen::Vector3f> made = {Eigen::Vector3f::UnitZ(), -Eigen::Vector3f::UnitZ()};
    for (int i = 0; i < 8; ++i) {
      const double azimuth = radians(90.0 * (i % 4) + 27.0), up = radians(i < 4 ? 32.0 : -32.0);
      made.push_back(Eigen::Vector3d(std::cos(azimuth) * std::cos(up),
                                     std::sin(azimuth) * std::cos(up), std::sin(up))
                         .cast<float>());
    }
    return made;
  }();
  return all;
}

/// Outdoors, where at least this share of the light comes from the sky, surfaces send out less.
constexpr float kOutdoorsSky = 0.25F, kOutdoors = 0.4F;

/// Light from a surface at `range` [m] in a direction.
Light lightFrom(const Eigen::Vector3f& direction, float range) {
  const float up = direction.z();
  const Light& light = up > 0.8F ? kFromAbove : up > -0.8F ? kFromAside : kFromBelow;
  return std::min(range / kOpen, 1.0F) * light;
}

/// Casts light at the surfels of a map.
class Caster {
 public:
  Caster(const std::shared_ptr<const map::SurfelMap>& map, const SurfelColours& colours)
      : map_(*map), colours_(colours), rays_(makeRayCaster(map, oneThread())), sun_(kSunward) {}

  std::vector<LitSurfel> cast() const {
    std::vector<LitSurfel> lit(map_.size());
    Workers(0).forRanges(lit.size(), kPerTask, [&](std::size_t begin, std::size_t end) {
      Batch batch;
      for (std::size_t first = begin; first < end; first += kPerTask) {
        castSome(first, std::min(first + kPerTask, end), batch, lit);
      }
    });
    return lit;
  }

 private:
  /// Rays of some surfels, and their sums of light by sides: front, back.
  struct Batch {
    struct Target {
      std::size_t surfel, side;
      float weight;
      bool is_sun;
    };
    std::vector<Ray> rays;
    std::vector<Target> targets;
    std::vector<Hit> hits;
    std::vector<map::FoundSurfel> surfels;
    std::vector<std::array<Light, 2>> sun, around;  // around: light from surfaces
    std::vector<std::array<float, 2>> weights, sky,
        open;  // weights of all rays, of those to the sky
  };

  static RendererConfig oneThread() {
    RendererConfig config;
    config.threads = 1;
    return config;
  }

  void castSome(std::size_t begin, std::size_t end, Batch& batch,
                std::vector<LitSurfel>& lit) const {
    const std::size_t count = end - begin;
    batch.rays.clear();
    batch.targets.clear();
    batch.surfels.resize(count);
    batch.sun.assign(count, {Light::Zero(), Light::Zero()});
    batch.around = batch.sun;
    batch.weights.assign(count, {0.0F, 0.0F});
    batch.open = batch.sky = batch.weights;
    for (std::size_t i = 0; i < count; ++i) {
      batch.surfels[i] = map::surfelOf(map_.tree(), static_cast<std::uint32_t>(begin + i));
      batch.surfels[i].normal.normalize();
    }
    addRays(sun_, true, batch);
    for (const Eigen::Vector3f& direction : directions()) addRays(direction, false, batch);
    rays_->cast(batch.rays, batch.hits);
    for (std::size_t k = 0; k < batch.rays.size(); ++k) gather(k, batch);
    for (std::size_t i = 0; i < count; ++i) lit[begin + i] = litOf(begin + i, i, batch);
  }

  void addRays(const Eigen::Vector3f& direction, bool is_sun, Batch& batch) const {
    constexpr float kLeast = 0.05F;  // cosine
    for (std::size_t i = 0; i < batch.surfels.size(); ++i) {
      const map::FoundSurfel& surfel = batch.surfels[i];
      const float cosine = surfel.normal.dot(direction);
      if (surfel.planar && std::abs(cosine) < kLeast) continue;
      // Rays begin before the surfels around, which lean a little.
      const float reach = map_.radius() * map::kSizeFactors[surfel.size];
      const Eigen::Vector3f before = !surfel.planar  ? Eigen::Vector3f(2.0F * reach * direction)
                                     : cosine > 0.0F ? Eigen::Vector3f(reach * surfel.normal)
                                                     : Eigen::Vector3f(-reach * surfel.normal);
      const Eigen::Vector3f origin =
          (map_.origin() + (surfel.position + before).cast<double>()).cast<float>();
      batch.rays.push_back({origin, is_sun ? kSunFar : kFar, direction, 0.0F});
      const float weight = !surfel.planar ? (is_sun ? kLeafInSun : 1.0F) : std::abs(cosine);
      batch.targets.push_back({i, surfel.planar && cosine < 0.0F ? 1U : 0U, weight, is_sun});
    }
  }

  static void gather(std::size_t ray, Batch& batch) {
    const Batch::Target& target = batch.targets[ray];
    const Hit& hit = batch.hits[ray];
    if (target.is_sun) {
      // kSunlight is on a level surface.
      if (!hit.valid()) {
        batch.sun[target.surfel][target.side] = target.weight / kSunward[2] * kSunlight;
      }
      return;
    }
    const Eigen::Vector3f& direction = batch.rays[ray].direction;
    if (!hit.valid() && direction.z() > 0.0F) {
      batch.sky[target.surfel][target.side] += target.weight;
    } else {
      batch.around[target.surfel][target.side] += target.weight * lightFrom(direction, hit.range);
    }
    batch.weights[target.surfel][target.side] += target.weight;
    batch.open[target.surfel][target.side] += target.weight * std::min(hit.range / kOpen, 1.0F);
  }

  /// Light on front and back.
  static std::array<Light, 2> lightsOn(std::size_t i, const Batch& batch) {
    std::array<Light, 2> lights;
    std::array<float, 2> own{};  // how far a side has light of its own
    for (std::size_t side = 0; side < 2; ++side) {
      const float weight = std::max(batch.weights[i][side], 1e-6F);
      const float sky = batch.sky[i][side] / weight;
      const float around = 1.0F - (1.0F - kOutdoors) * std::min(sky / kOutdoorsSky, 1.0F);
      lights[side] = batch.sun[i][side] + sky * kSkylight + around / weight * batch.around[i][side];
      const float open = batch.open[i][side] / weight;
      own[side] = std::clamp((open - kClosed) / (kNotClosed - kClosed), 0.0F, 1.0F);
    }
    if (!batch.surfels[i].planar) return {lights[0], lights[0]};
    const Light front = lights[0], back = lights[1];
    if (own[0] < own[1]) lights[0] += (1.0F - own[0]) * (back - front);
    if (own[1] < own[0]) lights[1] += (1.0F - own[1]) * (front - back);
    return lights;
  }

  LitSurfel litOf(std::size_t number, std::size_t i, const Batch& batch) const {
    const auto surfel = static_cast<std::uint32_t>(number);
    const Light colour = colours_.of(surfel);
    LitSurfel lit{};
    const std::array<Light, 2> lights = lightsOn(i, batch);
    for (Eigen::Index k = 0; k < 3; ++k) {
      lit.front[k] = srgbOfLinear(lights[0][k] * colour[k] / kBrightest);
      lit.back[k] = srgbOfLinear(lights[1][k] * colour[k] / kBrightest);
    }
    lit.material = static_cast<std::uint8_t>(materialOf(surfel, colour));
    return lit;
  }

  SurfaceMaterial materialOf(std::uint32_t surfel, const Light& colour) const {
    const View<std::uint8_t> classes = map_.channels().classes;
    if (classes.empty()) return SurfaceMaterial::kUniform;
    return lidar::materialOf(classes[surfel], {srgbOfLinear(colour[0]), srgbOfLinear(colour[1]),
                                               srgbOfLinear(colour[2])});
  }

  const map::SurfelMap& map_;
  const SurfelColours& colours_;
  const std::unique_ptr<RayCaster> rays_;
  const Eigen::Vector3f sun_;
};

}  // namespace

std::shared_ptr<const Daylight> Daylight::on(const std::shared_ptr<const map::SurfelMap>& map,
                                             const SurfelColours& colours) {
  struct Known {
    std::weak_ptr<const map::SurfelMap> map;
    std::weak_ptr<const Daylight> daylight;
  };
  static std::mutex mutex;
  static std::vector<Known> known;
  const std::lock_guard<std::mutex> lock(mutex);
  known.erase(std::remove_if(known.begin(), known.end(),
                             [](const Known& old) { return old.daylight.expired(); }),
              known.end());
  for (const Known& old : known) {
    if (old.map.lock() == map) {
      if (auto daylight = old.daylight.lock()) return daylight;
    }
  }
  auto made = make(map, colours);
  known.push_back({map, made});
  return made;
}

std::shared_ptr<const Daylight> Daylight::make(const std::shared_ptr<const map::SurfelMap>& map,
                                               const SurfelColours& colours) {
  std::shared_ptr<Daylight> daylight(new Daylight);
  const auto cast = [&] { daylight->own_ = Caster(map, colours).cast(); };
  if (map->file() == nullptr) {
    cast();
    daylight->surfels_ = {daylight->own_.data(), daylight->own_.size()};
    return daylight;
  }
  map::CacheEntry entry;
  const std::filesystem::path path = map->file()->name();
  entry.path = std::filesystem::path(path).replace_extension(".daylight");
  entry.key = map->file()->key();
  entry.key[0] = mixBits(entry.key[0] + kVersion);
  entry.take = [&](const std::shared_ptr<const map::MapFile>& file) {
    const auto surfels = file->section<LitSurfel>(kSection);
    if (surfels.size() != map->size()) {
      throw FileError(file->name(), "has the light of another map");
    }
    daylight->surfels_ = surfels;
  };
  daylight->file_ = map::openOrBuild(entry, [&] {
    map::reportToStandardError(
        fmt::format("casting light at the map {}, once", path.stem().string()));
    cast();
    daylight->surfels_ = {daylight->own_.data(), daylight->own_.size()};
    map::MapFileWriter writer(entry.key);
    writer.add(kSection, daylight->surfels_);
    return writer;
  });
  if (daylight->file_ != nullptr) std::vector<LitSurfel>().swap(daylight->own_);
  return daylight;
}

SurfelColours Daylight::colours() const {
  SurfelColours colours;
  const std::uint8_t* const bytes =
      surfels_.empty() ? nullptr : static_cast<const std::uint8_t*>(surfels_.data()->front);
  for (std::size_t i = 0; i < 3; ++i) {
    colours.bytes[i] = bytes == nullptr ? nullptr : bytes + i;
    for (int byte = 0; byte < 256; ++byte) {
      colours.values[i][byte] = kBrightest * linearOfSrgb(static_cast<std::uint8_t>(byte));
    }
  }
  colours.step = sizeof(LitSurfel);
  colours.to_back = sizeof(LitSurfel::front);
  return colours;
}

Eigen::Vector3f Daylight::sky(const Eigen::Vector3f& direction_W) {
  const Light horizon(0.80F, 0.86F, 0.93F), zenith(0.30F, 0.46F, 0.74F),
      ground(0.16F, 0.16F, 0.14F);
  const float up = direction_W.z();
  if (up >= 0.0F) return horizon + std::sqrt(up) * (zenith - horizon);
  return horizon + std::min(-up * 20.0F, 1.0F) * (ground - horizon);
}

}  // namespace marsim::lidar
