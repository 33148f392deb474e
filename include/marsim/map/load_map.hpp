// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <Eigen/Geometry>

#include "marsim/common/progress.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map {

/// How densely a source's points lie on their surfaces, measured when its map is made.
struct PointSpacing {
  double median = 0.0;              ///< [m] between neighbouring points; 0: too few to tell
  double passing = 0.0;             ///< share of beams that pass between points at the map's r
  double advised_resolution = 0.0;  ///< [m] 1, 2 or 5 times a power of ten at which hardly any do
  double isolated = 0.0;            ///< share of the voxels with at most two others within 8 r
};

/// The contents of a map's source.
struct MapSource {
  std::uint64_t content = 0;     ///< hash of the file; 0: not known
  std::uint64_t points = 0;      ///< in the file
  std::uint64_t non_finite = 0;  ///< dropped: a coordinate was NaN or infinite
  std::uint64_t duplicates = 0;  ///< dropped: same coordinates as an earlier point
  bool has_intensity = false;
  bool has_beams = false;  ///< places of the sensor, see PointChannels::to_sensor
  /// The intensity of all points where it is the same: such a channel is taken as absent.
  std::optional<float> constant_intensity;
  Eigen::AlignedBox3f box;  ///< of the points kept [m] in W
  /// [m] W's origin in the source's coordinates: p_source = p_W + origin. Zero unless the source
  /// lies more than 10 km from its own origin (UTM and the like).
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  /// [m] distance between neighbouring numbers where the source's float32 coordinates are largest;
  /// 0 for float64.
  double coordinate_step = 0.0;
  PointSpacing spacing;
};

/// Advice on a resolution for the points' spacing, and on stray points, as one line.
struct SpacingAdvice {
  std::string text;
  bool is_bad = false;  ///< over 3 % of the beams pass between points, or over 0.5 % are isolated
};
SpacingAdvice adviseOn(const MapSource& source, double resolution);

/// Returns the resolution [m] of a map for images: 0.05 m if the source's points are about that
/// close to each other and `resolution` is coarser; else `resolution`.
double imageResolution(const MapSource& source, double resolution);

/// A map as loaded.
struct LoadedMap {
  std::shared_ptr<const SurfelMap> map;
  MapSource source;
  bool from_cache = false;  ///< made earlier, or by another process while this one waited
};

/// Takes one line for the user.
using LineSink = std::function<void(const std::string&)>;

/// Prints "marsim: <line>" on standard error.
void reportToStandardError(const std::string& line);

/// Options of loadSurfelMap.
struct MapLoading {
  bool use_cache = true;
  std::filesystem::path folder;  ///< of the cached maps; empty: maps in cacheDir()
  LineSink report = reportToStandardError;
};

/// The map of a PCD or PLY file: from the cache if any process has made it from the same content
/// with the same settings, else made and cached. Reports, a line each, why a cached file is not
/// used, that the cache cannot be used, a resolution above the extent of a source smaller than 1 m,
/// an intensity that is the same everywhere, and coordinates that are coarser than a quarter of the
/// resolution. Throws FileError for the source, ConfigError for a resolution above the extent of a
/// larger one, and what SurfelMap::build throws.
LoadedMap loadSurfelMap(const std::filesystem::path& path, const SurfelMapConfig& config = {},
                        Progress& progress = Progress::none(), const MapLoading& loading = {});

/// Loads a map for the nodes of one process: a file of the same path, size and time with the same
/// settings is loaded once and its map is shared. From any thread.
LoadedMap shareSurfelMap(const std::filesystem::path& path, const SurfelMapConfig& config = {},
                         Progress& progress = Progress::none(), const MapLoading& loading = {});

}  // namespace marsim::map
