// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/moved_points.hpp"

#include <algorithm>
#include <cmath>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <Eigen/Geometry>

#include "map/make/channel_mean.hpp"
#include "map/make/sorted_voxels.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3d;

constexpr double kSameDirection = 0.8;           // cosine, within one surface
constexpr std::size_t kVoxelsPerBlock = 4096;    // merged by one thread
constexpr std::size_t kBlocksAtOnce = 256;       // blocks whose surfels wait to be appended
constexpr double kGoldenTurn = 1.9416110387255;  // [rad] pi (sqrt(5) - 1) / 2

/// Points of one surface inside a voxel.
class Cluster {
 public:
  Cluster(const MovedPoints& moved, std::size_t first)
      : kind_(moved.kinds[first]), size_(sizeOf(moved, first)) {
    add(moved, first);
  }

  bool takes(const MovedPoints& moved, std::size_t i, double offset) const {
    if (moved.kinds[i] != kind_ || sizeOf(moved, i) != size_) return false;
    if (kind_ == FitKind::kNeither) return true;
    const Vector3d direction = direction_.normalized();
    const double cosine = direction.dot(moved.directions[i].cast<double>());
    if (std::abs(cosine) < kSameDirection) return false;
    if (kind_ == FitKind::kRod) return true;
    const Vector3d aside = moved.positions[i].cast<double>() - position();
    return std::abs(direction.dot(aside)) < offset;
  }

  void add(const MovedPoints& moved, std::size_t i) {
    const Vector3d direction = moved.directions[i].cast<double>();
    const auto weight = static_cast<double>(moved.weights[i]);
    weight_ += weight;
    position_ += weight * moved.positions[i].cast<double>();
    direction_ += (direction_.dot(direction) < 0.0 ? -weight : weight) * direction;
    thickness_ += weight * static_cast<double>(moved.thickness[i]);
    channels_.add(moved, i, weight);
  }

  void append(const MergeSettings& settings, std::vector<Surfel>& surfels) const;
  const ChannelMean& channels() const { return channels_; }
  FitKind kind() const { return kind_; }
  std::uint8_t size() const { return size_; }
  float weight() const { return static_cast<float>(weight_); }

 private:
  static std::uint8_t sizeOf(const MovedPoints& moved, std::size_t i) {
    return moved.sizes.empty() ? kUsualSize : moved.sizes[i];
  }
  Vector3d position() const { return position_ / weight_; }

  FitKind kind_;
  std::uint8_t size_;
  double weight_ = 0.0;
  Vector3d position_ = Vector3d::Zero();
  Vector3d direction_ = Vector3d::Zero();
  double thickness_ = 0.0;
  ChannelMean channels_;
};

/// A normal across a rod that differs from voxel to voxel along it: turned by the golden section of
/// a half turn, so that any few neighbours face different sides.
Vector3d turnedNormal(const Vector3d& axis, const Vector3d& position, double resolution) {
  Eigen::Index longest = 0, shortest = 0;
  axis.cwiseAbs().maxCoeff(&longest);
  axis.cwiseAbs().minCoeff(&shortest);
  const Vector3d u = axis.cross(Vector3d::Unit(shortest)).normalized();
  const double turn = kGoldenTurn * std::floor(position[longest] / resolution);
  return std::cos(turn) * u + std::sin(turn) * axis.cross(u);
}

void Cluster::append(const MergeSettings& settings, std::vector<Surfel>& surfels) const {
  const Eigen::Vector3f at = position().cast<float>();
  const Vector3d direction = direction_.normalized();
  const float thickness = static_cast<float>(thickness_ / weight_);
  if (kind_ != FitKind::kRod) {
    surfels.push_back({at, direction.cast<float>().normalized(), thickness});
    return;
  }
  const Vector3d normal = turnedNormal(direction, position(), settings.resolution);
  surfels.push_back({at, normal.cast<float>().normalized(), thickness});
  if (!settings.crossed_rods) return;
  const Vector3d other = direction.cross(normal);
  surfels.push_back({at, other.cast<float>().normalized(), thickness});
}

void mergeVoxel(const MovedPoints& moved, const MergeSettings& settings, const VoxelPoint* begin,
                const VoxelPoint* end, std::vector<Cluster>& clusters, MergedPoints& merged) {
  clusters.clear();
  for (const VoxelPoint* point = begin; point != end; ++point) {
    const auto into = std::find_if(clusters.begin(), clusters.end(), [&](const Cluster& cluster) {
      return cluster.takes(moved, point->index, settings.offset);
    });
    if (into == clusters.end()) {
      clusters.emplace_back(moved, point->index);
    } else {
      into->add(moved, point->index);
    }
  }
  for (const Cluster& cluster : clusters) {
    std::size_t made = merged.surfels.size();
    cluster.append(settings, merged.surfels);
    for (; made < merged.surfels.size(); ++made) {
      merged.kinds.push_back(cluster.kind());
      merged.weights.push_back(cluster.weight());
      merged.sizes.push_back(cluster.size());
      cluster.channels().appendTo(merged);
    }
  }
}

}  // namespace

void MovedPoints::resize(std::size_t size) {
  positions.resize(size);
  directions.resize(size);
  thickness.resize(size);
  weights.resize(size);
  kinds.resize(size);
}

void MergedPoints::append(const MergedPoints& other) {
  surfels.insert(surfels.end(), other.surfels.begin(), other.surfels.end());
  kinds.insert(kinds.end(), other.kinds.begin(), other.kinds.end());
  weights.insert(weights.end(), other.weights.begin(), other.weights.end());
  sizes.insert(sizes.end(), other.sizes.begin(), other.sizes.end());
  appendChannels(other, *this);
}

MergedPoints mergeInVoxels(const MovedPoints& moved, const MergeSettings& settings) {
  const std::vector<VoxelPoint> points = sortedByVoxel(moved.positions, settings.resolution);
  const std::vector<std::size_t> begins = voxelBegins(points);
  const std::size_t voxels = begins.size() - 1;
  MergedPoints merged;
  for (std::size_t first = 0; first < voxels; first += kVoxelsPerBlock * kBlocksAtOnce) {
    std::vector<MergedPoints> blocks(kBlocksAtOnce);
    tbb::parallel_for(std::size_t{0}, blocks.size(), [&](std::size_t block) {
      const std::size_t begin = std::min(voxels, first + block * kVoxelsPerBlock);
      const std::size_t end = std::min(voxels, begin + kVoxelsPerBlock);
      std::vector<Cluster> clusters;
      for (std::size_t voxel = begin; voxel < end; ++voxel) {
        mergeVoxel(moved, settings, points.data() + begins[voxel],
                   points.data() + begins[voxel + 1], clusters, blocks[block]);
      }
    });
    for (const MergedPoints& block : blocks) merged.append(block);
  }
  return merged;
}

}  // namespace marsim::map
