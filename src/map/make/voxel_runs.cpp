// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/voxel_runs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

#include <tbb/parallel_for.h>

#include "map/make/channel_mean.hpp"

namespace marsim::map {
namespace {

constexpr std::size_t kBucketSize = 4096;  // points, about; they fit into a core's cache
constexpr std::size_t kMaxBuckets = 4096;
constexpr std::size_t kSamples = 16;                      // keys sampled for each bucket
constexpr std::size_t kChunkSize = std::size_t{1} << 18;  // points that one task distributes

/// A point of a cloud and the voxel that holds it.
struct KeyedPoint {
  std::uint64_t key;
  std::uint32_t index;  ///< into the cloud

  bool operator<(const KeyedPoint& other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

/// Removes from the points of one voxel, in the cloud's order, those that equal an earlier one;
/// returns how many remain at the front.
std::size_t removeEqual(const PointCloud& cloud, KeyedPoint* points, std::size_t count) {
  constexpr std::size_t kFew = 32;  // points; these are compared each with each
  const auto at = [&](std::size_t i) -> const Eigen::Vector3f& {
    return cloud.points[points[i].index];
  };
  if (count > kFew) {
    const auto before = [&](const KeyedPoint& a, const KeyedPoint& b) {
      const Eigen::Vector3f& p = cloud.points[a.index];
      const Eigen::Vector3f& q = cloud.points[b.index];
      if (p.x() != q.x()) return p.x() < q.x();
      if (p.y() != q.y()) return p.y() < q.y();
      if (p.z() != q.z()) return p.z() < q.z();
      return a.index < b.index;
    };
    std::sort(points, points + count, before);
    KeyedPoint* const end = std::unique(points, points + count, [&](const auto& a, const auto& b) {
      return cloud.points[a.index] == cloud.points[b.index];
    });
    std::sort(points, end);
    return static_cast<std::size_t>(end - points);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t earlier = 0;
    while (earlier < kept && at(earlier) != at(i)) ++earlier;
    if (earlier == kept) points[kept++] = points[i];
  }
  return kept;
}

/// Sorts by key, digit by digit from the lowest; equal keys keep their order.
void sortByKey(std::vector<KeyedPoint>& points) {
  constexpr unsigned kDigit = 8;
  std::uint64_t all = 0, same = ~std::uint64_t{0};
  for (const KeyedPoint& point : points) {
    all |= point.key;
    same &= point.key;
  }
  const std::uint64_t differing = all & ~same;
  std::vector<KeyedPoint> other(points.size());
  for (unsigned shift = 0; shift < 64; shift += kDigit) {
    if ((differing >> shift & 0xff) == 0) continue;
    std::array<std::uint32_t, 256> place{};
    for (const KeyedPoint& point : points) ++place[point.key >> shift & 0xff];
    std::exclusive_scan(place.begin(), place.end(), place.begin(), 0U);
    for (const KeyedPoint& point : points) other[place[point.key >> shift & 0xff]++] = point;
    points.swap(other);
  }
}

/// The points of a cloud in buckets by ranges of keys, each bucket in the cloud's order.
class Buckets {
 public:
  explicit Buckets(const std::vector<std::uint64_t>& keys);

  std::size_t count() const { return begins_.size() - 1; }
  /// Copies a bucket's points and, with their new numbers, their voxels.
  void take(std::size_t i, const PointCloud& cloud, PointCloud& points,
            std::vector<KeyedPoint>& keyed) const {
    const std::size_t size = begins_[i + 1] - begins_[i];
    points.points.reserve(size);
    keyed.reserve(size);
    for (std::uint32_t k = 0; k < size; ++k) {
      const std::uint32_t index = order_[begins_[i] + k];
      keyed.push_back({keys_[index], k});
      points.points.push_back(cloud.points[index]);
      appendChannels(cloud, index, points);
    }
  }

 private:
  void chooseSplits();
  /// Number of splits that are not above the key.
  std::size_t bucketOf(std::uint64_t key) const {
    const std::uint64_t* first = splits_.data();
    for (std::size_t half = splits_.size() / 2; half > 0; half /= 2) {
      first += first[half - 1] <= key ? half : 0;
    }
    return static_cast<std::size_t>(first - splits_.data()) + (*first <= key ? 1 : 0);
  }
  template <class Task>
  void forChunks(const Task& task) const {
    const std::size_t size = keys_.size();
    tbb::parallel_for(std::size_t{0}, (size + kChunkSize - 1) / kChunkSize, [&](std::size_t chunk) {
      task(chunk, chunk * kChunkSize, std::min(size, (chunk + 1) * kChunkSize));
    });
  }

  const std::vector<std::uint64_t>& keys_;
  std::vector<std::uint64_t> splits_;  // a power of two of them, the last ones above all keys
  std::vector<std::uint32_t> order_;   // points by bucket
  std::vector<std::size_t> begins_;    // beginnings of the buckets in order_, and the end
};

Buckets::Buckets(const std::vector<std::uint64_t>& keys) : keys_(keys), order_(keys.size()) {
  chooseSplits();
  const std::size_t buckets = splits_.size() + 1;
  const std::size_t chunks = (keys.size() + kChunkSize - 1) / kChunkSize;
  std::vector<std::uint16_t> ids(keys.size());
  std::vector<std::uint32_t> places(chunks * buckets);  // [chunk][bucket]: counts, then begins
  forChunks([&](std::size_t chunk, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t bucket = bucketOf(keys_[i]);
      ids[i] = static_cast<std::uint16_t>(bucket);
      ++places[chunk * buckets + bucket];
    }
  });
  std::uint32_t next = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    begins_.push_back(next);
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      next += std::exchange(places[chunk * buckets + bucket], next);
    }
  }
  begins_.push_back(next);
  forChunks([&](std::size_t chunk, std::size_t begin, std::size_t end) {
    std::uint32_t* const place = places.data() + chunk * buckets;
    for (std::size_t i = begin; i < end; ++i)
      order_[place[ids[i]]++] = static_cast<std::uint32_t>(i);
  });
}

/// Takes a regular sample of the keys.
void Buckets::chooseSplits() {
  std::size_t buckets = 2;
  while (buckets < kMaxBuckets && buckets * kBucketSize < keys_.size()) buckets *= 2;
  const std::size_t samples = buckets * kSamples;
  std::vector<std::uint64_t> sample;
  for (std::size_t i = 0; i < samples && !keys_.empty(); ++i) {
    sample.push_back(keys_[i * keys_.size() / samples]);
  }
  std::sort(sample.begin(), sample.end());
  for (std::size_t i = kSamples; i < sample.size(); i += kSamples) splits_.push_back(sample[i]);
  splits_.resize(buckets, ~std::uint64_t{0});
}

/// Appends the means of voxels whose points are complete; returns the number of duplicates dropped.
std::size_t appendVoxels(const PointCloud& cloud, std::vector<KeyedPoint>& points,
                         Duplicates duplicates, PointCloud& means) {
  sortByKey(points);
  std::size_t dropped = 0;
  ChannelMean channels;
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    while (end < points.size() && points[end].key == points[begin].key) ++end;
    std::size_t size = end - begin;
    if (duplicates == Duplicates::kDrop) {
      const std::size_t kept = removeEqual(cloud, &points[begin], size);
      dropped += size - kept;
      size = kept;
    }
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    channels.clear();
    for (std::size_t i = begin; i < begin + size; ++i) {
      sum += cloud.points[points[i].index].cast<double>();
      channels.add(cloud, points[i].index, 1.0);
    }
    const auto count = static_cast<double>(size);
    means.points.push_back((sum / count).cast<float>());
    means.weight.push_back(static_cast<float>(count));
    channels.appendTo(means);
  }
  return dropped;
}

}  // namespace

std::size_t appendMeans(const PointCloud& cloud, const std::vector<std::uint64_t>& keys,
                        Duplicates duplicates, PointCloud& means) {
  const Buckets buckets(keys);
  std::vector<PointCloud> pieces(buckets.count());
  std::vector<std::size_t> dropped(buckets.count());
  tbb::parallel_for(std::size_t{0}, buckets.count(), [&](std::size_t i) {
    PointCloud points;
    std::vector<KeyedPoint> keyed;
    buckets.take(i, cloud, points, keyed);
    dropped[i] = appendVoxels(points, keyed, duplicates, pieces[i]);
  });
  std::size_t voxels = means.size();
  for (const PointCloud& piece : pieces) voxels += piece.size();
  means.points.reserve(voxels);
  means.weight.reserve(voxels);
  const auto reserve = [&](const auto& source, auto& target) {
    if (!source.empty()) target.reserve(voxels);
  };
  forEachChannel(reserve, static_cast<const PointChannels&>(cloud), means);
  for (PointCloud& piece : pieces) {
    means.points.insert(means.points.end(), piece.points.begin(), piece.points.end());
    means.weight.insert(means.weight.end(), piece.weight.begin(), piece.weight.end());
    appendChannels(piece, means);
    piece = {};
  }
  return std::accumulate(dropped.begin(), dropped.end(), std::size_t{0});
}

}  // namespace marsim::map
