// SPDX-License-Identifier: BSD-3-Clause
#include "map/tree/beam_evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "map/tree/surfel_codec.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3d;

constexpr double kGoesOn = 0.1;           // [m] a beam that passes a surfel goes on by
constexpr double kToleranceNoises = 3.0;  // in noise: distance of an end from its surface
constexpr double kLeastTolerance = 0.04;  // [m] likewise, at least
constexpr std::int64_t kEndedWeight = 2, kPassedWeight = 3;  // weights of beams
constexpr std::uint32_t kLeastPassed = 2;  // passing beams that make a surfel smaller
constexpr double kShortestBeam = 0.1;      // [m] of a beam that counts
constexpr double kLeastShare = 0.15;       // of ended beams that keeps a porous surface
constexpr double kOverlap = 2.356;         // area of the discs of a surface, in that of the surface

}  // namespace

/// A beam in the tree's frame.
struct BeamEvidence::Beam {
  Vector3d origin, end, direction;  ///< [m], unit
  Vector3d inverse;                 ///< 1 / direction, finite
  double range, last;               ///< [m] of the end; up to which surfels are met
};

namespace {

/// Whether a beam meets the box of a node's child, grown by `margin` [m].
template <class Beam>
bool meetsBox(const TreeNode& node, int slot, const Beam& beam, double margin) {
  double near = 0.0, far = beam.last;
  for (int axis = 0; axis < 3; ++axis) {
    const auto step = gridStep<double>(node, axis);
    const double corner = static_cast<double>(node.origin[axis]) - beam.origin[axis];
    const double a = (corner + step * node.lower[axis][slot] - margin) * beam.inverse[axis];
    const double b = (corner + step * node.upper[axis][slot] + margin) * beam.inverse[axis];
    near = std::max(near, std::min(a, b));
    far = std::min(far, std::max(a, b));
  }
  return near <= far;
}

}  // namespace

BeamEvidence::BeamEvidence(const SurfelMap& map)
    : map_(map),
      tolerance_(std::max(kToleranceNoises * static_cast<double>(map.noise()), kLeastTolerance)),
      sizes_(decodeSizes(map.tree())),
      counts_(map.size()) {}

void BeamEvidence::add(const PointCloud& cloud) {
  if (cloud.to_sensor.empty() || map_.size() == 0) return;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, cloud.size(), 64), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      const Offset& offset = cloud.to_sensor[i];
      const Vector3d back = Eigen::Map<const Eigen::Vector3f>(offset.data()).cast<double>();
      Beam beam;
      beam.range = back.norm();
      if (!(beam.range > kShortestBeam)) continue;
      beam.last = beam.range + kGoesOn;
      beam.end = cloud.points[i].cast<double>() - map_.origin();
      beam.origin = beam.end + back;
      beam.direction = -back / beam.range;
      for (int axis = 0; axis < 3; ++axis) {
        const double d = beam.direction[axis];
        beam.inverse[axis] = 1.0 / (std::abs(d) < 1e-12 ? 1e-12 : d);
      }
      count(beam);
    }
  });
}

void BeamEvidence::count(const Beam& beam) {
  const SurfelTreeView& tree = map_.tree();
  const auto margin = static_cast<double>(tree.header.radius);  // the most that a disc may grow
  std::array<std::uint32_t, kMaxTreeDepth*(kTreeWidth - 1) + 1> stack;
  std::size_t depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const TreeNode& node = tree.nodes[stack[--depth]];
    for (int slot = 0; slot < node.childCount(); ++slot) {
      if (!meetsBox(node, slot, beam, margin)) continue;
      if (slot < node.innerCount()) {
        stack[depth++] = node.child_base + static_cast<std::uint32_t>(slot);
      } else {
        countInLeaf(beam, node, slot);
      }
    }
  }
}

void BeamEvidence::countInLeaf(const Beam& beam, const TreeNode& node, int slot) {
  const SurfelTreeView& tree = map_.tree();
  const StoredLeaf leaf(node, slot);
  const LeafFrame<double> frame(node, slot);
  const auto radius = static_cast<double>(leaf.radiusIn(tree));
  const double largest2 = radius * radius * (1 << kGrown);
  for (std::uint32_t i = 0; i < leaf.count; ++i) {
    const StoredSurfel surfel = readSurfel(frame, leaf.wordsIn(tree), i, leaf.count);
    const Vector3d to = surfel.position - beam.origin;
    const double across = beam.direction.dot(surfel.normal);
    if (surfel.planar && std::abs(across) < 1e-6 * surfel.normal.norm()) continue;
    const double t = surfel.planar ? to.dot(surfel.normal) / across : to.dot(beam.direction);
    if (!(t > 0.0 && t < beam.last)) continue;
    const double distance2 = (t * beam.direction - to).squaredNorm();
    if (!(distance2 < largest2)) continue;
    const double off = surfel.planar
                           ? std::abs((beam.end - surfel.position).dot(surfel.normal.normalized()))
                           : beam.range - t;
    const bool is_passed = t < beam.range - kGoesOn && off > tolerance_;
    const int ring = std::min(std::ilogb(largest2 / std::max(distance2, 1e-12)), kRings - 1);
    Counts& counts = counts_[leaf.first + i];
    auto& rings = is_passed ? counts.passed : counts.ended;
    rings[static_cast<std::size_t>(ring)].fetch_add(1, std::memory_order_relaxed);
  }
}

/// The size class at which discs of a surface cover a share of it: of two classes the number of the
/// surfel chooses one, so that the mean area is right.
int sizeOfShare(double share, int size, std::size_t surfel) {
  const double halvings = std::log2(kOverlap / share);
  const double lower = std::max(std::floor(halvings), 0.0);
  const double share_of_larger = std::exp2(lower + 1.0 - halvings) - 1.0;
  const double draw = static_cast<double>(mixBits(surfel) >> 11U) * 0x1p-53;
  return size + static_cast<int>(lower) + (draw < share_of_larger ? 0 : 1);
}

/// The size class with the most ended less passing beams, or that of their share if it is larger.
int BeamEvidence::sizeOf(std::size_t surfel) const {
  const int size = sizes_[surfel];
  const Counts& counts = counts_[surfel];
  std::int64_t score = 0, most = 0;
  std::uint32_t ended = 0, passed = 0;
  int best = kLeftOut;
  for (int ring = kRings - 1; ring >= kGrown; --ring) {
    const auto i = static_cast<std::size_t>(ring);
    ended += counts.ended[i];
    passed += counts.passed[i];
    score += kEndedWeight * counts.ended[i] - kPassedWeight * counts.passed[i];
    if (score < most) continue;
    most = score;
    best = std::min(size + ring - kGrown, kSizeCount - 1);
  }
  if (passed >= kLeastPassed && best != size) {
    const double share = ended / (static_cast<double>(ended) + passed);
    if (share < kLeastShare) return best;
    const int porous = std::min(sizeOfShare(share, size, surfel), kSizeCount - 1);
    return best == kLeftOut ? porous : std::min(best, porous);
  }
  best = size;
  for (int ring = kGrown - 1; ring >= 0 && best > 0; --ring) {
    if (counts.passed[static_cast<std::size_t>(ring)] > 0) break;
    --best;
  }
  return best;
}

SurfelSet BeamEvidence::resized() const {
  SurfelSet set;
  set.planar_threshold = map_.planarThreshold();
  set.blending = map_.blending();
  set.noise = map_.noise();
  const std::vector<Surfel> surfels = map_.surfels();
  const SurfelChannelViews& channels = map_.channels();
  const auto append = [](const auto& from, std::size_t i, auto& to) {
    if (!from.empty()) to.push_back(from[i]);
  };
  for (std::size_t i = 0; i < surfels.size(); ++i) {
    const int size = sizeOf(i);
    if (size == kLeftOut) continue;
    set.surfels.push_back(surfels[i]);
    set.sizes.push_back(static_cast<std::uint8_t>(size));
    append(channels.reflectivity, i, set.channels.reflectivity);
    append(channels.colour, i, set.channels.colour);
    append(channels.classes, i, set.channels.classes);
    append(channels.instances, i, set.channels.instances);
  }
  return set;
}

}  // namespace marsim::map
