// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/map/load_map.hpp"

#include <memory>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/data_dir.hpp"
#include "common/shared_by_key.hpp"
#include "map/cache/checksum.hpp"
#include "map/cache/map_cache.hpp"
#include "map/cache/map_info.hpp"
#include "map/files/local_frame.hpp"
#include "map/files/point_records.hpp"
#include "map/make/noise_sample.hpp"
#include "map/make/point_spacing.hpp"
#include "map/make/stream_voxels.hpp"
#include "map/tree/beam_evidence.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

namespace fs = std::filesystem;

fs::path cachedPath(const fs::path& folder, const fs::path& source, const MapFileKey& key) {
  constexpr std::size_t kLongest = 64;  // characters of the source's name; file names have a limit
  return folder / fmt::format("{}-{:016x}{:016x}.surfels",
                              source.stem().string().substr(0, kLongest), key[0], key[1]);
}

/// The map of a file's points with sizes by the file's beams.
SurfelMap resized(const SurfelMap& map, const fs::path& path, Progress& progress) {
  BeamEvidence evidence(map);
  LocalFrame frame;
  PointSink sink;
  sink.phase = "beams";
  sink.begin = [&](const RecordLayout& layout, std::uint64_t) { frame.begin(layout); };
  sink.take = [&](const PointBlock& block) {
    PointCloud cloud;
    frame.append(block, cloud);
    evidence.add(cloud);
  };
  readPoints(path, progress, sink);
  return SurfelMap::of(evidence.resized(), map.config());
}

LoadedMap build(const fs::path& path, const SurfelMapConfig& config, Progress& progress) {
  LoadedMap result;
  auto sample = config.measuresNoise() ? std::make_unique<NoiseSample>() : nullptr;
  PointCloud voxels =
      streamVoxels(path, config.detail(), result.source, progress, {}, sample.get());
  const double noise = sample ? sample->noise() : 0.0;
  sample.reset();
  std::vector<SheetProbe> probes;
  result.source.spacing = measureSpacing(voxels, config.resolution, config.largestHole(), &probes);
  const SurfelSet set = makeSurfels(std::move(voxels), noise, config, progress);
  progress.phase("tree");
  result.map = std::make_shared<SurfelMap>(SurfelMap::of(set, config));
  if (result.source.has_beams && config.surface != Surface::kPaper) {
    result.map = std::make_shared<SurfelMap>(resized(*result.map, path, progress));
  }
  if (!probes.empty()) result.source.spacing.passing = shareOpen(probes, *result.map);
  return result;
}

/// Size and time of a file, which show whether it changes while it is read.
std::pair<std::uintmax_t, fs::file_time_type> stamp(const fs::path& path) {
  std::error_code none;
  return {fs::file_size(path, none), fs::last_write_time(path, none)};
}

/// Opens the map in the cache or makes it there; in memory only if the cache cannot be used.
LoadedMap loadThroughCache(const fs::path& path, const SurfelMapConfig& config, Progress& progress,
                           const MapLoading& loading) {
  fs::path folder = loading.folder;
  try {
    if (folder.empty()) folder = cacheDir(loading.report) / "maps";
  } catch (const FileError& error) {
    loading.report(fmt::format("maps are not kept: {}", error.what()));
    return build(path, config, progress);
  }
  const auto read_at = stamp(path);
  const MapFileKey content = hashFile(path, progress);
  const MapFileKey key = keyOf(content, config);
  LoadedMap result;
  result.from_cache = true;
  CacheEntry entry;
  entry.path = cachedPath(folder, path, key);
  entry.key = key;
  entry.take = [&](const std::shared_ptr<const MapFile>& file) {
    const MapSource source = readInfo(*file, config);
    result.map = std::make_shared<SurfelMap>(SurfelMap::fromFile(file, config));
    result.source = source;
  };
  const auto make = [&] {
    result = build(path, config, progress);
    if (stamp(path) != read_at) throw FileError(path.string(), "changed while it was read");
    progress.phase("keeping the map");
    MapFileWriter writer(key);
    writeInfo(config, result.source, writer);
    result.map->writeTo(writer);
    return writer;
  };
  openOrBuild(entry, make, loading.report);
  result.source.content = content[0];
  return result;
}

/// [m] One voxel may hold an object smaller than this, but not a whole map.
constexpr double kLeastPlace = 1.0;

}  // namespace

double imageResolution(const MapSource& source, double resolution) {
  constexpr double kFine = 0.05;
  const double spacing = source.spacing.median;
  return spacing > 0.0 && spacing <= 1.1 * kFine ? std::min(resolution, kFine) : resolution;
}

SpacingAdvice adviseOn(const MapSource& source, double resolution) {
  constexpr double kMostPassing = 0.03, kMostIsolated = 0.005;
  const PointSpacing& spacing = source.spacing;
  if (spacing.median == 0.0) return {"too few points to tell their spacing", false};
  const std::string share =
      spacing.passing < 0.001 ? "under 0.1 %" : fmt::format("{:.2g} %", 100.0 * spacing.passing);
  const bool is_sparse = spacing.passing > kMostPassing;
  const bool has_strays = spacing.isolated > kMostIsolated;
  SpacingAdvice advice;
  advice.text = fmt::format(
      "points are {:.2g} m apart: at a resolution of {:g} m {} of beams pass between them",
      spacing.median, resolution, share);
  if (is_sparse) advice.text += fmt::format(", advised is {:g} m", spacing.advised_resolution);
  if (has_strays) {
    advice.text += fmt::format(
        "; {:.2g} % of the voxels are isolated: 'marsim map clean' removes stray points",
        100.0 * spacing.isolated);
  }
  advice.is_bad = is_sparse || has_strays;
  return advice;
}

LoadedMap loadSurfelMap(const fs::path& path, const SurfelMapConfig& config, Progress& progress,
                        const MapLoading& loading) {
  config.validate("");
  LoadedMap result = loading.use_cache ? loadThroughCache(path, config, progress, loading)
                                       : build(path, config, progress);
  const double extent = result.source.box.cast<double>().sizes().maxCoeff();
  if (config.resolution > extent && extent >= kLeastPlace) {
    throw ConfigError(path.string(), "resolution", fmt::format("{} m", config.resolution),
                      fmt::format("at most the map's extent of {:.3f} m", extent));
  }
  if (config.resolution > extent && extent > 0.0) {
    loading.report(fmt::format("{}: the resolution of {} m is more than its extent of {:.3g} m",
                               path.string(), config.resolution, extent));
  }
  if (result.source.constant_intensity) {
    loading.report(fmt::format(
        "{}: its intensity is {} at every point and says nothing: taken as absent, the sensor's "
        "own reflectivity stands for it",
        path.string(), *result.source.constant_intensity));
  }
  if (result.source.coordinate_step > 0.25 * config.resolution) {
    loading.report(fmt::format(
        "{}: its float32 coordinates are {:.2g} m apart where they are largest, coarser than a "
        "quarter of the resolution of {} m; use float64 or coordinates near the origin",
        path.string(), result.source.coordinate_step, config.resolution));
  }
  return result;
}

LoadedMap shareSurfelMap(const fs::path& path, const SurfelMapConfig& config, Progress& progress,
                         const MapLoading& loading) {
  using Key = std::tuple<fs::path, std::uintmax_t, fs::file_time_type, MapFileKey, fs::path, bool>;
  static SharedByKey<Key, LoadedMap> maps;
  config.validate("");
  std::error_code none;
  const auto [size, time] = stamp(path);
  const Key key{fs::weakly_canonical(path, none), size,           time,
                keyOf(MapFileKey{}, config),      loading.folder, loading.use_cache};
  const std::shared_ptr<const LoadedMap> loaded = maps.get(key, [&] {
    return std::make_shared<const LoadedMap>(loadSurfelMap(path, config, progress, loading));
  });
  LoadedMap result = *loaded;
  result.map = {loaded, loaded->map.get()};  // the map's holders keep the source's data, too
  return result;
}

}  // namespace marsim::map
