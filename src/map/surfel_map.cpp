#include "marsim/map/surfel_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include "marsim/common/error.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map {
namespace {

constexpr std::size_t kMostSurfels = 0xFFFFFFFE;  // indices have 32 bits

static_assert(sizeof(Surfel) == 28 && offsetof(Surfel, normal) == 12 &&
                  offsetof(Surfel, thickness) == 24,
              "map files hold surfels as they lie in memory");

/// Whether a surfel is one that a map can have; NaN fails every comparison.
bool possible(const Surfel& surfel) {
  constexpr float kFarthest = 1e8F;  // [m] squares of it are finite
  return std::abs(surfel.position.x()) <= kFarthest && std::abs(surfel.position.y()) <= kFarthest &&
         std::abs(surfel.position.z()) <= kFarthest &&
         std::abs(surfel.normal.squaredNorm() - 1.0F) <= 1e-3F && surfel.thickness >= 0.0F &&
         surfel.thickness <= kFarthest;
}

struct Survey {
  Eigen::AlignedBox3f box;
  bool possible = true;  ///< all of them
};

/// Looks at every surfel once, on all cores.
Survey survey(View<Surfel> surfels) {
  constexpr std::size_t kGrain = 65536;  // surfels a task; fewer start no threads
  const auto look = [surfels](std::size_t begin, std::size_t end) {
    Survey part;
    for (std::size_t i = begin; i < end; ++i) {
      part.box.extend(surfels[i].position);
      part.possible = part.possible && possible(surfels[i]);
    }
    return part;
  };
  const auto join = [](const Survey& a, const Survey& b) {
    return Survey{a.box.merged(b.box), a.possible && b.possible};
  };
  if (surfels.size() <= kGrain) return look(0, surfels.size());
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, surfels.size(), kGrain), Survey(),
      [&](const auto& range, const Survey& before) {
        return join(before, look(range.begin(), range.end()));
      },
      join);
}

}  // namespace

void SurfelMapConfig::validate(const std::string& where) const {
  const Validator validator(where);
  validator.positive("resolution", resolution, "m");
  // Below one voxel there are no neighbours; far above, a wall's normal is that of its building.
  validator.within("normal_radius_factor", normal_radius_factor, 1.0, 100.0);
  validator.notNegative("planar_factor", planar_factor);
}

SurfelMap SurfelMap::build(const PointCloud& cloud, const SurfelMapConfig& config,
                           Progress& progress) {
  config.validate("");
  if (cloud.empty()) throw Error("a map cannot be made of a cloud without points");
  progress.phase("downsampling");
  const PointCloud thinned = downsample(cloud, config.resolution);
  const double radius = config.normal_radius_factor * config.resolution;
  return SurfelMap(estimateSurfels(thinned, radius, progress), config);
}

SurfelMap::SurfelMap(std::vector<Surfel> surfels, const SurfelMapConfig& config,
                     const Blending& blending)
    : owned_(std::make_shared<const std::vector<Surfel>>(std::move(surfels))),
      surfels_(*owned_),
      config_(config),
      blending_(blending) {
  config_.validate("");
  radius_ = static_cast<float>(0.5 * std::sqrt(3.0) * config_.resolution);
  planar_threshold_ = static_cast<float>(config_.planar_factor * config_.resolution);
  bounds_ = survey(surfels_).box;
}

SurfelMap SurfelMap::fromFile(std::shared_ptr<const MapFile> file, const SurfelMapConfig& config) {
  SurfelMap map(std::vector<Surfel>(), config);
  map.surfels_ = file->section<Surfel>(section::kSurfels);
  if (map.size() > kMostSurfels) {
    throw FileError(file->name(),
                    fmt::format("has {} surfels, allowed: at most {}", map.size(), kMostSurfels));
  }
  const Survey found = survey(map.surfels_);
  if (!found.possible) throw FileError(file->name(), "has impossible surfels");
  map.bounds_ = found.box;
  map.file_ = std::move(file);
  return map;
}

double SurfelMap::planarShare() const {
  if (surfels_.empty()) return 0.0;
  const auto planar = std::count_if(surfels_.begin(), surfels_.end(),
                                    [this](const Surfel& surfel) { return isPlanar(surfel); });
  return static_cast<double>(planar) / static_cast<double>(surfels_.size());
}

}  // namespace marsim::map
