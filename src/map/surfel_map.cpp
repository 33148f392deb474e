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

constexpr std::size_t kGrain = 65536;             // surfels a task; fewer start no threads
constexpr std::size_t kMostSurfels = 0xFFFFFFFE;  // indices have 32 bits

static_assert(sizeof(Surfel) == 28 && offsetof(Surfel, normal) == 12 &&
                  offsetof(Surfel, thickness) == 24,
              "map files hold surfels as they lie in memory");

/// Joins what part(begin, end) gives for parts of [0, size) on all cores.
template <class Result, class Part, class Join>
Result overParts(std::size_t size, const Result& nothing, const Part& part, const Join& join) {
  if (size <= kGrain) return part(0, size);
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, size, kGrain), nothing,
      [&](const auto& range, const Result& r) { return join(r, part(range.begin(), range.end())); },
      join);
}

Eigen::AlignedBox3f boxOf(View<Surfel> surfels) {
  return overParts(
      surfels.size(), Eigen::AlignedBox3f(),
      [&](std::size_t begin, std::size_t end) {
        Eigen::AlignedBox3f box;
        for (std::size_t i = begin; i < end; ++i) box.extend(surfels[i].position);
        return box;
      },
      [](const Eigen::AlignedBox3f& a, const Eigen::AlignedBox3f& b) { return a.merged(b); });
}

/// Whether a surfel is one that a map can have; NaN and infinities fail every comparison.
bool possible(const Surfel& surfel) {
  constexpr float kFarthest = 1e8F;  // [m] squares of it are finite
  return surfel.position.cwiseAbs().maxCoeff() <= kFarthest &&
         std::abs(surfel.normal.squaredNorm() - 1.0F) <= 1e-3F && surfel.thickness >= 0.0F &&
         surfel.thickness <= kFarthest && surfel.position.allFinite();
}

/// The surfels of a file. Throws FileError where one of them cannot be.
View<Surfel> verifiedSurfels(const MapFile& file) {
  const View<Surfel> surfels = file.section<Surfel>(section::kSurfels);
  if (surfels.size() > kMostSurfels) {
    throw FileError(file.name(), fmt::format("has {} surfels, allowed: at most {}", surfels.size(),
                                             kMostSurfels));
  }
  const bool all = overParts(
      surfels.size(), true,
      [&](std::size_t begin, std::size_t end) {
        return std::all_of(surfels.data() + begin, surfels.data() + end, possible);
      },
      [](bool a, bool b) { return a && b; });
  if (!all) throw FileError(file.name(), "has impossible surfels");
  return surfels;
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

SurfelMap::SurfelMap(std::vector<Surfel> surfels, const SurfelMapConfig& config)
    : owned_(std::make_shared<const std::vector<Surfel>>(std::move(surfels))),
      surfels_(*owned_),
      config_(config) {
  config_.validate("");
  radius_ = static_cast<float>(0.5 * std::sqrt(3.0) * config_.resolution);
  planar_threshold_ = static_cast<float>(config_.planar_factor * config_.resolution);
  bounds_ = boxOf(surfels_);
}

SurfelMap SurfelMap::fromFile(std::shared_ptr<const MapFile> file, const SurfelMapConfig& config) {
  SurfelMap map(std::vector<Surfel>(), config);
  map.surfels_ = verifiedSurfels(*file);
  map.bounds_ = boxOf(map.surfels_);
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
