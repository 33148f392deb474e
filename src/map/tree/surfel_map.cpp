// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/map/surfel_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "map/cache/map_file.hpp"
#include "map/make/noise_aware.hpp"
#include "map/make/reflectivity.hpp"
#include "map/tree/beam_evidence.hpp"
#include "map/tree/leaf_storage.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map {
namespace {

/// Section `tree`: data needed to read its nodes and words.
struct TreeRecord {
  SurfelTreeHeader header;
  Blending blending;
  float planar_threshold, noise;
  std::uint32_t reserved;  // 0
};
static_assert(sizeof(TreeRecord) == 104, "written as it lies in memory: without gaps");

bool notNegative(float value) { return std::isfinite(value) && value >= 0.0F; }

/// Whether the numbers of a record are possible for a map.
bool possible(const TreeRecord& record, const SurfelMapConfig& config) {
  const SurfelTreeHeader& header = record.header;
  constexpr double kFarthest = 1e8;  // [m] squares of it are finite in single precision
  bool finite = true;
  for (int axis = 0; axis < 3; ++axis) {
    finite = finite && std::abs(header.origin[axis]) <= kFarthest;
    if (header.surfel_count == 0) continue;
    finite = finite && std::abs(static_cast<double>(header.lower[axis])) <= kFarthest &&
             std::abs(static_cast<double>(header.upper[axis])) <= kFarthest &&
             header.lower[axis] <= header.upper[axis];
  }
  return finite && header.radius == discRadius(config.resolution) &&
         header.storage == kCompactStorage && header.planar_count <= header.surfel_count &&
         notNegative(record.blending.depth) && notNegative(record.blending.max_offset) &&
         notNegative(record.blending.min_cosine) && record.blending.min_cosine <= 1.0F &&
         notNegative(record.planar_threshold) && notNegative(record.noise) && record.reserved == 0;
}

/// A channel with as many elements as the map has surfels, if the file has it.
template <class Value>
void readChannel(const MapFile& file, std::string_view name, std::size_t surfels,
                 View<Value>& channel, ElementType type = ElementType::kUint8) {
  if (!file.has(name)) return;
  channel = file.section<Value>(name, type);
  if (channel.size() == surfels) return;
  throw FileError(file.name(), fmt::format("has {} values in section {} for {} surfels",
                                           channel.size(), name, surfels));
}

}  // namespace

float discRadius(double resolution) {
  return static_cast<float>(0.5 * std::sqrt(3.0) * resolution);
}

const char* nameOf(Surface surface) {
  constexpr const char* kNames[] = {"paper", "blended", "sized"};
  return kNames[static_cast<std::size_t>(surface)];
}

Surface surfaceOf(const std::string& name) {
  for (const Surface surface : {Surface::kPaper, Surface::kBlended, Surface::kSized}) {
    if (name == nameOf(surface)) return surface;
  }
  throw UnknownNameError("", "surface", name, {"blended", "paper", "sized"});
}

double SurfelMapConfig::largestHole() const {
  if (surface == Surface::kPaper) return 0.0;
  return hole_radius >= 0.0 ? hole_radius : std::max(3.0 * resolution, 0.15);
}

double SurfelMapConfig::detail() const {
  constexpr double kFinest = 0.005;  // [m]
  if (surface != Surface::kSized) return resolution;
  return std::max(resolution / 8.0, std::min(resolution, kFinest));
}

void SurfelMapConfig::validate(const std::string& where) const {
  const Validator validator(where);
  kResolutions.require(where, "resolution", resolution, "m");
  // Below one voxel there are no neighbours; far above, a wall's normal is that of its building.
  validator.within("normal_radius_factor", normal_radius_factor, 1.0, 100.0);
  validator.notNegative("planar_factor", planar_factor);
  validator.within("noise", noise, 0.0, 1.0, "m");
  validator.within("smoothing_radius", smoothing_radius, 0.0, 10.0, "m");
  validator.within("blending_depth", blending_depth, -1.0, 1.0, "m");
  validator.within("hole_radius", hole_radius, -1.0, 100.0, "m");
  validator.notNegative("intensity_full_scale", intensity_full_scale);
}

SurfelMap SurfelMap::build(const PointCloud& cloud, const SurfelMapConfig& config,
                           Progress& progress) {
  config.validate("");
  if (cloud.empty()) throw Error("a map cannot be made of a cloud without points");
  progress.phase("downsampling");
  PointCloud voxels = downsample(cloud, config.detail());
  voxels.to_sensor.clear();
  if (constantIntensity(cloud.intensity)) voxels.intensity.clear();
  dropSilentChannels(voxels);
  const double noise = config.measuresNoise() ? measureNoise(cloud) : 0.0;
  const SurfelSet set = makeSurfels(std::move(voxels), noise, config, progress);
  progress.phase("tree");
  const SurfelMap map = of(set, config);
  if (cloud.to_sensor.empty() || config.surface == Surface::kPaper) return map;
  progress.phase("beams");
  BeamEvidence evidence(map);
  evidence.add(cloud);
  return of(evidence.resized(), config);
}

SurfelMap::SurfelMap(const std::vector<Surfel>& surfels, const SurfelMapConfig& config,
                     const Blending& blending, float planar_threshold, float noise,
                     const SurfelChannels& channels, const std::vector<std::uint8_t>& sizes)
    : config_(config), blending_(blending), planar_threshold_(planar_threshold), noise_(noise) {
  config_.validate("");
  owned_ = std::make_shared<const SurfelTree>(surfels, discRadius(config_.resolution),
                                              planar_threshold_, channels, sizes);
  tree_ = owned_->view();
  channels_ = owned_->channels();
}

SurfelMap::SurfelMap(const std::vector<Surfel>& surfels, const SurfelMapConfig& config,
                     const Blending& blending)
    : SurfelMap(surfels, config, blending,
                static_cast<float>(config.planar_factor * config.resolution), 0.0F, {}, {}) {}

SurfelMap SurfelMap::of(const SurfelSet& set, const SurfelMapConfig& config) {
  return {set.surfels, config,       set.blending, set.planar_threshold,
          set.noise,   set.channels, set.sizes};
}

SurfelMap SurfelMap::fromFile(std::shared_ptr<const MapFile> file, const SurfelMapConfig& config) {
  const auto refuse = [&](const std::string& what) { return FileError(file->name(), what); };
  const View<TreeRecord> records = file->section<TreeRecord>(section::kTree);
  if (records.size() != 1) {
    throw refuse(fmt::format("has {} records in section tree, allowed: 1", records.size()));
  }
  const TreeRecord& record = records[0];
  if (!possible(record, config)) throw refuse("has impossible numbers in section tree");
  const View<TreeNode> nodes = file->section<TreeNode>(section::kTreeNodes);
  const View<std::uint32_t> words =
      file->section<std::uint32_t>(section::kLeafWords, ElementType::kUint32);
  SurfelMap map;
  map.tree_ = {record.header, nodes.data(), words.data()};
  if (nodes.size() != record.header.node_count ||
      record.header.surfel_count > words.size() ||  // before the multiplication
      words.size() != map.tree_.wordCount()) {
    throw refuse("has a tree whose sections have other sizes");
  }
  try {
    validateTree(map.tree_);
  } catch (const Error& error) {
    throw refuse(fmt::format("is damaged: {}", error.what()));
  }
  readChannel(*file, section::kReflectivity, map.size(), map.channels_.reflectivity);
  readChannel(*file, section::kColour, map.size(), map.channels_.colour);
  readChannel(*file, section::kClass, map.size(), map.channels_.classes);
  readChannel(*file, section::kInstance, map.size(), map.channels_.instances, ElementType::kUint16);
  map.config_ = config;
  map.blending_ = record.blending;
  map.planar_threshold_ = record.planar_threshold;
  map.noise_ = record.noise;
  map.file_ = std::move(file);
  return map;
}

void SurfelMap::writeTo(MapFileWriter& writer) const {
  writer.addRecord(section::kTree,
                   TreeRecord{tree_.header, blending_, planar_threshold_, noise_, 0});
  writer.add(section::kTreeNodes, View<TreeNode>(tree_.nodes, tree_.header.node_count));
  writer.add(section::kLeafWords, View<std::uint32_t>(tree_.words, tree_.wordCount()),
             ElementType::kUint32);
  const auto add = [&](std::string_view name, const auto& channel,
                       ElementType type = ElementType::kUint8) {
    if (!channel.empty()) writer.add(name, channel, type);
  };
  add(section::kReflectivity, channels_.reflectivity);
  add(section::kColour, channels_.colour);
  add(section::kClass, channels_.classes);
  add(section::kInstance, channels_.instances, ElementType::kUint16);
}

std::vector<Surfel> SurfelMap::surfels() const {
  std::vector<Surfel> surfels = decodeSurfels(tree_);
  const Eigen::Vector3d p_WO = origin();
  if (p_WO.isZero(0.0)) return surfels;
  for (Surfel& surfel : surfels) {
    surfel.position = (surfel.position.cast<double>() + p_WO).cast<float>();
  }
  return surfels;
}

std::vector<float> SurfelMap::radii() const {
  std::vector<float> radii;
  radii.reserve(size());
  for (const std::uint8_t of : decodeSizes(tree_)) radii.push_back(radius() * kSizeFactors[of]);
  return radii;
}

PointCloud SurfelMap::positions() const {
  PointCloud cloud;
  cloud.points.reserve(size());
  for (const Surfel& surfel : surfels()) cloud.points.push_back(surfel.position);
  return cloud;
}

Eigen::AlignedBox3f SurfelMap::bounds() const {
  if (size() == 0) return {};
  const auto inWorld = [this](const float* local) -> Eigen::Vector3f {
    return (Eigen::Vector3f(local).cast<double>() + origin()).cast<float>();
  };
  return {inWorld(tree_.header.lower), inWorld(tree_.header.upper)};
}

double SurfelMap::planarShare() const {
  if (size() == 0) return 0.0;
  return static_cast<double>(tree_.header.planar_count) / static_cast<double>(size());
}

}  // namespace marsim::map
