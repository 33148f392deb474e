// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/stream_voxels.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "map/files/local_frame.hpp"
#include "map/files/point_records.hpp"
#include "map/files/stray_points.hpp"
#include "map/make/noise_sample.hpp"
#include "map/make/voxel_runs.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map {
namespace {

/// Memory for one held point [bytes]: itself, its key, its place among the others.
std::size_t bytesPerPoint(const RecordLayout& layout) {
  return sizeof(Eigen::Vector3f) + sizeof(std::uint64_t) + kOrderBytes + bytesOfChannels(layout);
}
constexpr std::uint64_t kMostHeld = 300'000'000;  // most points held at first
constexpr std::uint64_t kSampledPoints = 256;     // points per sample of their spread
constexpr std::uint64_t kSampledVoxels = 256;     // voxels per sample of their number
constexpr std::uint64_t kAllKeys = std::numeric_limits<std::uint64_t>::max();

/// Frees the points' memory.
void clear(PointCloud& cloud) {
  cloud.points.clear();
  forEachChannel([](auto& channel) { channel.clear(); }, cloud);
}

class VoxelStream {
 public:
  VoxelStream(const std::filesystem::path& path, double resolution, const StreamBudget& budget,
              Progress& progress)
      : path_(path), resolution_(resolution), budget_(budget), progress_(progress) {}

  PointCloud means(MapSource& source, NoiseSample* noise_sample);

 private:
  void survey(NoiseSample* noise_sample);
  std::vector<std::uint64_t> ranges() const;
  void gather(const std::string& phase, std::uint64_t begin, std::uint64_t end);
  void computeKeys();
  void hold();
  void drop();
  std::size_t room() const;
  template <class Take>
  void read(const std::string& phase, const Take& take);
  void requirePoints() const;

  const std::filesystem::path& path_;
  double resolution_;
  const StreamBudget& budget_;
  Progress& progress_;
  LocalFrame frame_;
  RecordLayout layout_;
  std::uint64_t promised_ = 0;             // points in the file
  PointCloud block_;                       // the last block in W
  std::vector<std::uint64_t> keys_;        // of its points
  PointCloud points_;                      // in the present range of voxels
  std::vector<std::uint64_t> point_keys_;  // keys of points_
  std::vector<std::uint64_t> sample_;      // keys of every kSampledPoints-th point
  std::unordered_set<std::uint64_t> sampled_voxels_;
  bool whole_ = true;       // the survey kept all points
  bool has_beams_ = false;  // which the means are made without
  StrayPoints stray_;
};

/// Reads the file; take() finds each block in block_.
template <class Take>
void VoxelStream::read(const std::string& phase, const Take& take) {
  PointSink sink;
  sink.phase = phase;
  sink.begin = [this](const RecordLayout& layout, std::uint64_t count) {
    frame_.begin(layout);
    layout_ = layout;
    has_beams_ = layout.sensor.has_value();
    layout_.sensor.reset();
    promised_ = count;
  };
  sink.take = [&](const PointBlock& block) {
    clear(block_);
    frame_.append(block, block_);
    block_.to_sensor.clear();
    take();
  };
  readPoints(path_, progress_, sink);
}

void VoxelStream::computeKeys() {
  keys_.resize(block_.size());
  computeVoxelKeys(block_.points.data(), block_.size(), resolution_, keys_.data());
}

/// Points that fit into the budget, as far as the number of voxels is known.
std::size_t VoxelStream::room() const {
  const std::size_t voxels = sampled_voxels_.size() * kSampledVoxels;
  return (budget_.base + voxels * budget_.per_voxel) / bytesPerPoint(layout_);
}

/// Keeps the block's points.
void VoxelStream::hold() {
  points_.points.insert(points_.points.end(), block_.points.begin(), block_.points.end());
  appendChannels(block_, points_);
  point_keys_.insert(point_keys_.end(), keys_.begin(), keys_.end());
}

void VoxelStream::drop() {
  points_ = {};
  point_keys_ = {};
}

/// Holds the points as long as they fit, and samples their spread in case they do not.
void VoxelStream::survey(NoiseSample* noise_sample) {
  std::uint64_t seen = 0;
  read("reading", [&] {
    if (seen == 0) {
      whole_ = promised_ <= kMostHeld;
      if (whole_) points_.points.reserve(promised_), point_keys_.reserve(promised_);
      if (whole_) reserveChannels(layout_, promised_, points_);
    }
    stray_.add(block_, frame_.origin(), resolution_);
    if (stray_.count > 0) return;  // reads on only to count them all
    computeKeys();
    if (noise_sample != nullptr) noise_sample->add(block_.points);
    for (const std::uint64_t key : keys_) {
      if (seen++ % kSampledPoints == 0) sample_.push_back(key);
      if (mixBits(key) % kSampledVoxels == 0) sampled_voxels_.insert(key);
    }
    if (!whole_) return;
    hold();
    whole_ = points_.size() <= room();
    if (!whole_) drop();
  });
  requirePoints();
  stray_.total = frame_.points();
  requireNoStrayPoints(stray_, path_, resolution_);
}

void VoxelStream::requirePoints() const {
  if (frame_.points() > frame_.nonFinite()) return;
  throw FileError(path_.string(),
                  fmt::format("none of its {} points has finite coordinates", frame_.points()));
}

/// Keys that divide the voxels into ranges whose points fit into the budget.
std::vector<std::uint64_t> VoxelStream::ranges() const {
  std::vector<std::uint64_t> sorted = sample_;
  std::sort(sorted.begin(), sorted.end());
  const std::uint64_t points = frame_.points() - frame_.nonFinite();
  const std::uint64_t count = points / std::max<std::size_t>(1, room() / 10 * 9) + 1;
  std::vector<std::uint64_t> ends;
  for (std::uint64_t i = 1; i < count; ++i) {
    const std::uint64_t end = sorted[static_cast<std::size_t>(i * sorted.size() / count)];
    if (ends.empty() || end > ends.back()) ends.push_back(end);
  }
  ends.push_back(kAllKeys);
  return ends;
}

/// Reads the points in the voxels from `begin` on and before `end`.
void VoxelStream::gather(const std::string& phase, std::uint64_t begin, std::uint64_t end) {
  clear(points_);
  point_keys_.clear();
  read(phase, [&] {
    computeKeys();
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i] < begin || keys_[i] >= end) continue;
      point_keys_.push_back(keys_[i]);
      points_.points.push_back(block_.points[i]);
      appendChannels(block_, i, points_);
    }
  });
}

PointCloud VoxelStream::means(MapSource& source, NoiseSample* noise_sample) {
  requireResolution(resolution_);
  survey(noise_sample);
  const std::uint64_t finite = frame_.points() - frame_.nonFinite();
  PointCloud means;
  std::uint64_t gathered = 0;
  if (whole_) {
    progress_.phase("downsampling");
    gathered = points_.size();
    source.duplicates = appendMeans(points_, point_keys_, Duplicates::kDrop, means);
  } else {
    const std::vector<std::uint64_t> ends = ranges();
    const std::size_t voxels = sampled_voxels_.size() * kSampledVoxels * 11 / 10;
    means.points.reserve(voxels);
    reserveChannels(layout_, voxels, means);
    source.duplicates = 0;
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < ends.size(); begin = ends[i++]) {
      gather(fmt::format("downsampling, part {} of {}", i + 1, ends.size()), begin, ends[i]);
      gathered += points_.size();
      source.duplicates += appendMeans(points_, point_keys_, Duplicates::kDrop, means);
    }
  }
  if (gathered != finite) throw FileError(path_.string(), "changed while it was read");
  source.points = frame_.points();
  source.non_finite = frame_.nonFinite();
  source.has_intensity = layout_.hasIntensity();
  source.has_beams = has_beams_;
  source.constant_intensity = frame_.constantIntensity();
  if (source.constant_intensity) means.intensity = {};
  dropSilentChannels(means);
  source.box = frame_.box();
  source.origin = frame_.origin();
  source.coordinate_step = frame_.coordinateStep();
  return means;
}

}  // namespace

PointCloud streamVoxels(const std::filesystem::path& path, double resolution, MapSource& source,
                        Progress& progress, const StreamBudget& budget, NoiseSample* noise_sample) {
  return VoxelStream(path, resolution, budget, progress).means(source, noise_sample);
}

}  // namespace marsim::map
