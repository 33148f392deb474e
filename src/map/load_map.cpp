#include "marsim/map/load_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "checksum.hpp"
#include "marsim/common/data_dir.hpp"
#include "marsim/common/error.hpp"
#include "stream_voxels.hpp"

namespace marsim::map {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kPaperSurface = 0;  // surfels as estimateSurfels makes them
constexpr std::uint32_t kHasIntensity = 1;

/// Section `info`: the settings that shaped the surfels and what their source held.
struct InfoRecord {
  double resolution, normal_radius_factor, planar_factor;
  std::uint32_t surface, flags;
  std::uint64_t points, non_finite, duplicates;
  std::array<double, 3> origin;
  std::array<float, 3> box_min, box_max;
  double coordinate_step;
};
static_assert(sizeof(InfoRecord) == 112, "written as it lies in memory: without gaps");

InfoRecord record(const SurfelMapConfig& config, const MapSource& source) {
  InfoRecord info{};
  info.resolution = config.resolution;
  info.normal_radius_factor = config.normal_radius_factor;
  info.planar_factor = config.planar_factor;
  info.surface = kPaperSurface;
  info.flags = source.has_intensity ? kHasIntensity : 0;
  info.points = source.points;
  info.non_finite = source.non_finite;
  info.duplicates = source.duplicates;
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    info.origin[i] = source.origin[axis];
    info.box_min[i] = source.box.min()[axis];
    info.box_max[i] = source.box.max()[axis];
  }
  info.coordinate_step = source.coordinate_step;
  return info;
}

/// What the record says. Throws FileError where it is of other settings or no map can have it.
MapSource readInfo(const MapFile& file, const SurfelMapConfig& config) {
  const View<InfoRecord> records = file.section<InfoRecord>(section::kInfo);
  if (records.size() != 1) {
    throw FileError(file.name(),
                    fmt::format("has {} records in section info, allowed: 1", records.size()));
  }
  const InfoRecord& info = records[0];
  if (info.resolution != config.resolution || info.planar_factor != config.planar_factor ||
      info.normal_radius_factor != config.normal_radius_factor || info.surface != kPaperSurface) {
    throw FileError(file.name(), "was made with other settings");
  }
  MapSource source;
  source.points = info.points;
  source.non_finite = info.non_finite;
  source.duplicates = info.duplicates;
  source.has_intensity = (info.flags & kHasIntensity) != 0;
  source.origin = {info.origin[0], info.origin[1], info.origin[2]};
  source.box = {Eigen::Vector3f(info.box_min.data()), Eigen::Vector3f(info.box_max.data())};
  source.coordinate_step = info.coordinate_step;
  const bool possible = info.flags <= kHasIntensity && source.origin.allFinite() &&
                        source.box.min().allFinite() && source.box.max().allFinite() &&
                        !source.box.isEmpty() && source.coordinate_step >= 0.0 &&
                        std::isfinite(source.coordinate_step);
  if (!possible) throw FileError(file.name(), "has impossible numbers in section info");
  return source;
}

/// The source's content and the settings, so that neither a file of the same name nor one of the
/// same content with other settings is mistaken.
MapFileKey keyOf(const MapFileKey& content, const SurfelMapConfig& config) {
  return hashText(fmt::format("{:016x}{:016x} {} {} {} {}", content[0], content[1],
                              config.resolution, config.normal_radius_factor, config.planar_factor,
                              kPaperSurface));
}

fs::path cachedPath(const MapLoading& loading, const fs::path& source, const MapFileKey& key) {
  const fs::path folder = loading.folder.empty() ? cacheDir() / "maps" : loading.folder;
  constexpr std::size_t kLongest = 64;  // characters of the source's name: file names have limits
  return folder / fmt::format("{}-{:016x}{:016x}.surfels",
                              source.stem().string().substr(0, kLongest), key[0], key[1]);
}

LoadedMap build(const fs::path& path, const SurfelMapConfig& config, Progress& progress) {
  LoadedMap result;
  const double radius = config.normal_radius_factor * config.resolution;
  std::vector<Surfel> surfels = estimateSurfels(
      streamVoxels(path, config.resolution, result.source, progress), radius, progress);
  result.map = std::make_shared<SurfelMap>(std::move(surfels), config);
  return result;
}

/// Size and time of a file, by which one that changes while it is read is caught.
std::pair<std::uintmax_t, fs::file_time_type> stamp(const fs::path& path) {
  std::error_code none;
  return {fs::file_size(path, none), fs::last_write_time(path, none)};
}

/// Opens the map in the cache or makes it there; in memory only where the cache cannot be used.
LoadedMap loadThroughCache(const fs::path& path, const SurfelMapConfig& config, Progress& progress,
                           const MapLoading& loading) {
  const auto read_at = stamp(path);
  const MapFileKey key = keyOf(hashFile(path, progress), config);
  LoadedMap result;
  result.from_cache = true;
  CacheEntry entry;
  entry.path = cachedPath(loading, path, key);
  entry.key = key;
  entry.take = [&](const std::shared_ptr<const MapFile>& file) {
    const MapSource source = readInfo(*file, config);
    result.map = std::make_shared<SurfelMap>(SurfelMap::fromFile(file, config));
    result.source = source;
  };
  InfoRecord info{};
  const auto make = [&] {
    result = build(path, config, progress);
    if (stamp(path) != read_at) throw FileError(path.string(), "changed while it was read");
    info = record(config, result.source);
    progress.phase("keeping the map");
    MapFileWriter writer(key);
    writer.add(section::kInfo, View<InfoRecord>(&info, 1));
    writer.add(section::kSurfels, result.map->surfels());
    return writer;
  };
  openOrBuild(entry, make, loading.report);
  return result;
}

}  // namespace

LoadedMap loadSurfelMap(const fs::path& path, const SurfelMapConfig& config, Progress& progress,
                        const MapLoading& loading) {
  config.validate("");
  LoadedMap result = loading.use_cache ? loadThroughCache(path, config, progress, loading)
                                       : build(path, config, progress);
  if (result.source.coordinate_step > 0.25 * config.resolution) {
    loading.report(fmt::format(
        "{}: its float32 coordinates are {:.2g} m apart where they are largest, coarser than a "
        "quarter of the resolution of {} m; use float64 or coordinates near the origin",
        path.string(), result.source.coordinate_step, config.resolution));
  }
  return result;
}

PointCloud positions(const SurfelMap& map) {
  PointCloud cloud;
  cloud.points.reserve(map.size());
  for (const Surfel& surfel : map.surfels()) cloud.points.push_back(surfel.position);
  return cloud;
}

}  // namespace marsim::map
