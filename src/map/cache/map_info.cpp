// SPDX-License-Identifier: BSD-3-Clause
#include "map/cache/map_info.hpp"

#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "map/cache/checksum.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

// Flags.
constexpr std::uint32_t kHasIntensity = 1;
constexpr std::uint32_t kConstantIntensity = 2;
constexpr std::uint32_t kHasBeams = 4;

/// Version of the processing of sources into maps: raised with every change of it, so that older
/// cached maps are made anew.
constexpr int kMaking = 9;

/// Section `info`: the settings that shaped the surfels, and data of their source.
struct InfoRecord {
  double resolution, normal_radius_factor, planar_factor;
  std::uint32_t surface, storage;
  std::uint32_t flags;
  float constant_intensity;  // 0 where it is not constant
  std::uint64_t points, non_finite, duplicates;
  std::array<double, 3> origin;
  std::array<float, 3> box_min, box_max;
  double coordinate_step;
  double spacing, passing, advised_resolution, isolated;
};
static_assert(sizeof(InfoRecord) == 152, "written as it lies in memory: without gaps");

InfoRecord recordOf(const SurfelMapConfig& config, const MapSource& source) {
  InfoRecord info{};
  info.resolution = config.resolution;
  info.normal_radius_factor = config.normal_radius_factor;
  info.planar_factor = config.planar_factor;
  info.surface = static_cast<std::uint32_t>(config.surface);
  info.storage = kCompactStorage;
  info.flags = (source.has_intensity ? kHasIntensity : 0) |
               (source.constant_intensity ? kConstantIntensity : 0) |
               (source.has_beams ? kHasBeams : 0);
  info.constant_intensity = source.constant_intensity.value_or(0.0F);
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
  info.spacing = source.spacing.median;
  info.passing = source.spacing.passing;
  info.advised_resolution = source.spacing.advised_resolution;
  info.isolated = source.spacing.isolated;
  return info;
}

bool isPossible(const PointSpacing& spacing) {
  return spacing.median >= 0.0 && std::isfinite(spacing.median) && spacing.passing >= 0.0 &&
         spacing.passing <= 1.0 && spacing.advised_resolution >= 0.0 &&
         std::isfinite(spacing.advised_resolution) && spacing.isolated >= 0.0 &&
         spacing.isolated <= 1.0;
}

}  // namespace

void writeInfo(const SurfelMapConfig& config, const MapSource& source, MapFileWriter& writer) {
  writer.addRecord(section::kInfo, recordOf(config, source));
}

MapSource readInfo(const MapFile& file, const SurfelMapConfig& config) {
  const View<InfoRecord> records = file.section<InfoRecord>(section::kInfo);
  if (records.size() != 1) {
    throw FileError(file.name(),
                    fmt::format("has {} records in section info, allowed: 1", records.size()));
  }
  const InfoRecord& info = records[0];
  if (info.resolution != config.resolution || info.planar_factor != config.planar_factor ||
      info.normal_radius_factor != config.normal_radius_factor ||
      info.surface != static_cast<std::uint32_t>(config.surface) ||
      info.storage != kCompactStorage) {
    throw FileError(file.name(), "was made with other settings");
  }
  MapSource source;
  source.points = info.points;
  source.non_finite = info.non_finite;
  source.duplicates = info.duplicates;
  source.has_intensity = (info.flags & kHasIntensity) != 0;
  source.has_beams = (info.flags & kHasBeams) != 0;
  if ((info.flags & kConstantIntensity) != 0) source.constant_intensity = info.constant_intensity;
  source.origin = {info.origin[0], info.origin[1], info.origin[2]};
  source.box = {Eigen::Vector3f(info.box_min.data()), Eigen::Vector3f(info.box_max.data())};
  source.coordinate_step = info.coordinate_step;
  source.spacing = {info.spacing, info.passing, info.advised_resolution, info.isolated};
  const bool possible = info.flags <= (kHasIntensity | kConstantIntensity | kHasBeams) &&
                        std::isfinite(info.constant_intensity) && source.origin.allFinite() &&
                        source.box.min().allFinite() && source.box.max().allFinite() &&
                        !source.box.isEmpty() && source.coordinate_step >= 0.0 &&
                        std::isfinite(source.coordinate_step) && isPossible(source.spacing);
  if (!possible) throw FileError(file.name(), "has impossible numbers in section info");
  return source;
}

MapFileKey keyOf(const MapFileKey& content, const SurfelMapConfig& config) {
  return hashText(fmt::format(
      "{} {:016x}{:016x} {} {} {} {} {} {} {} {} {} {}", kMaking, content[0], content[1],
      config.resolution, config.normal_radius_factor, config.planar_factor,
      static_cast<int>(config.surface), kCompactStorage, config.noise, config.smoothing_radius,
      config.blending_depth, config.hole_radius, config.intensity_full_scale));
}

}  // namespace marsim::map
