// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lidar/cast/blend_sums.hpp"
#include "lidar/cast/cast_kernel.hpp"
#include "lidar/cast/leaf_blocks.hpp"
#include "lidar/cast/ray_meets_surfel.hpp"
#include "lidar/cast/vector8.hpp"
#include "map/tree/leaf_storage.hpp"

/// Walks one ray through a surfel tree.
namespace marsim::lidar {
namespace {

constexpr std::uint32_t kNothing = GroupHits::kNothing;

struct alignas(64) WalkRay {
  float origin[3], origin_rest[3];  // [m] relative to the tree's origin
  float offset[3];                  // [m] from the origin of the group's first ray
  float direction[3], direction_rest[3];
  float inverse[3];            // inverse components of the direction, finite
  float range_min, range_max;  // [m]
  float cut;  // [m] farther hits are ignored: at first the maximum, then the nearest hit, with
              // blending the nearest and the depth behind it
  std::uint32_t surfel, leaf;  // of the nearest hit
  Candidates* met;             // collected surfels, if any
  BlendSums* sums;             // sums of surfels, if any
};

// Treatment of the surfels that a ray meets.
enum class Visit {
  kNearest,  // keep the nearest
  kCollect,  // keep those at most a depth behind the nearest
  kSum,      // sum up those up to the cut
};

class RayWalk {
 public:
  // A child still to be visited.
  struct Entry {
    float entry;  // [m] no hit in the box is nearer
    std::uint32_t child;
  };

  RayWalk(const map::SurfelTreeView& tree, const CastBlending& blending, const bool* negative)
      : tree_(tree), blending_(blending) {
    for (int axis = 0; axis < 3; ++axis) {
      near_[axis] = negative[axis] ? &map::TreeNode::upper : &map::TreeNode::lower;
      far_[axis] = negative[axis] ? &map::TreeNode::lower : &map::TreeNode::upper;
    }
  }

  // Walks the subtree of a node, or a leaf; updates the ray's cut.
  template <Visit kVisit>
  void run(WalkRay& ray, std::uint32_t child) const {
    Entry stack[(map::kTreeWidth - 1) * map::kMaxTreeDepth + map::kTreeWidth];
    int size = 0;
    for (;;) {
      if ((child & map::kLeafBit) != 0) {
        testLeaf<kVisit>(ray, child);
      } else if (descend(ray, child, stack, size)) {
        continue;
      }
      do {
        if (size == 0) return;
        --size;
      } while (stack[size].entry > ray.cut);
      child = stack[size].child;
    }
  }

  // A leaf by its code, relative to an origin.
  Leaves leavesOf(std::uint32_t leaf, const float* origin, const float* origin_rest) const {
    return {tree_, tree_.nodes[map::parentOf(leaf)], map::slotOf(leaf), origin, origin_rest};
  }

  const std::uint8_t* nearPlanes(const map::TreeNode& node, int axis) const {
    return (node.*near_[axis])[axis];
  }
  const std::uint8_t* farPlanes(const map::TreeNode& node, int axis) const {
    return (node.*far_[axis])[axis];
  }

  // Prefetches the memory that a visit of the child needs.
  void prefetch(const map::TreeNode& node, unsigned slot) const {
    if (slot < static_cast<unsigned>(node.innerCount())) {
      const map::TreeNode* child = tree_.nodes + node.child_base + slot;
      __builtin_prefetch(child);
      __builtin_prefetch(reinterpret_cast<const char*>(child) + sizeof(*child) - 1);
    } else {
      const map::StoredLeaf leaf(node, static_cast<int>(slot));
      const char* const words = reinterpret_cast<const char*>(leaf.wordsIn(tree_));
      const std::size_t bytes = sizeof(std::uint32_t) * map::kSurfelWords * leaf.count;
      for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(words + i);
      __builtin_prefetch(words + bytes - 1);
    }
  }

  // A leaf's surfels relative to an origin, for several rays.
  struct OpenLeaf {
    Block blocks[map::kMaxLeafSize / 8];
    Leaves leaves;
    std::uint32_t code, first, count;
    float inverse_radius2;  // [1/m^2]

    OpenLeaf(std::uint32_t child, const Leaves& surfels)
        : leaves(surfels),
          code(child),
          first(surfels.first()),
          count(surfels.count()),
          inverse_radius2(1.0F / (surfels.radius() * surfels.radius())) {
      blocks[0] = leaves.block(0);
      if (count > 8) blocks[1] = leaves.block(8);
    }
  };
  OpenLeaf open(std::uint32_t leaf, const float* origin, const float* origin_rest) const {
    return {leaf, leavesOf(leaf, origin, origin_rest)};
  }

  template <Visit kVisit>
  void testLeaf(WalkRay& ray, std::uint32_t child) const {
    const float none[3] = {0.0F, 0.0F, 0.0F};
    testLeaf<kVisit>(ray, open(child, ray.origin, ray.origin_rest), none);
  }

  // `offset`: from the leaf's origin to the ray's.
  template <Visit kVisit>
  void testLeaf(WalkRay& ray, const OpenLeaf& leaf, const float* offset) const {
    testBlock<kVisit>(ray, leaf, 0, offset);
    if (leaf.count > 8) testBlock<kVisit>(ray, leaf, 8, offset);
  }

  // A surfel by its leaf and its number.
  ExactSurfel exactSurfel(std::uint32_t child, std::uint32_t surfel) const {
    const float none[3] = {0.0F, 0.0F, 0.0F};
    const Leaves leaves = leavesOf(child, none, none);
    return leaves.exact(surfel - leaves.first());
  }

  FirstMet firstMet(const WalkRay& ray, float t, std::uint32_t leaf, std::uint32_t number) const {
    const ExactSurfel surfel = exactSurfel(leaf, number);
    FirstMet first{t, {}, {}, surfel.planar, number, leaf};
    double length2 = 0.0;
    for (const double n : surfel.n) length2 += n * n;
    const double inverse = 1.0 / __builtin_sqrt(length2);
    for (int axis = 0; axis < 3; ++axis) {
      first.n[axis] = static_cast<float>(inverse * surfel.n[axis]);
      first.v[axis] = static_cast<float>(surfel.p[axis] - static_cast<double>(ray.origin[axis]) -
                                         static_cast<double>(ray.origin_rest[axis]));
    }
    return first;
  }

  // Whether a surfel is near enough to the first's plane, in double precision.
  bool agreesExactly(const FirstMet& first, const ExactSurfel& surfel) const {
    const ExactSurfel other = exactSurfel(first.leaf, first.surfel);
    double offset = 0.0, length2 = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      offset += other.n[axis] * (surfel.p[axis] - other.p[axis]);
      length2 += other.n[axis] * other.n[axis];
    }
    const auto most = static_cast<double>(blending_.max_offset);
    return offset * offset <= most * most * length2;
  }

  // Descends to the nearest child met, pushing the others; false if there is none.
  __attribute__((always_inline)) bool goOn(const map::TreeNode& node, Float8 entry, unsigned met,
                                           std::uint32_t& child, Entry* stack, int& size) const {
    if (met == 0) return false;
    const std::uint32_t number = child;
    const auto first = static_cast<unsigned>(__builtin_ctz(met));
    const unsigned rest = met & (met - 1);
    if (rest == 0) {
      child = map::childOf(node, number, first);
      return true;
    }
    float entries[8];
    store8(entries, entry);
    const auto second = static_cast<unsigned>(__builtin_ctz(rest));
    if ((rest & (rest - 1)) == 0) {
      const bool swapped = entries[second] < entries[first];
      const unsigned nearer = swapped ? second : first, farther = swapped ? first : second;
      prefetch(node, farther);
      stack[size++] = {entries[farther], map::childOf(node, number, farther)};
      child = map::childOf(node, number, nearer);
      return true;
    }
    child = pushSorted(node, number, entry, met, stack, size);
    return true;
  }

 private:
  // Result of a ray's test with eight surfels.
  struct Test {
    Met met;
    Int8 maybe;  // lanes met or nearly so, within rounding
    Int8 sure;   // lanes certain in spite of rounding
  };

  // Tests eight surfels from number i on.
  Test testAgainst(const WalkRay& ray, const OpenLeaf& leaf, std::uint32_t i,
                   const float* offset) const {
    const Block& block = leaf.blocks[i / 8];
    const float* const d = ray.direction;
    Test test;
    Met& met = test.met;
    for (int axis = 0; axis < 3; ++axis) {
      met.v[axis] = block.v[axis] - offset[axis];
      // A surfel that is not planar counts as the plane across the ray.
      met.n[axis] = blend8(all8(d[axis] * Leaves::kScale), block.n[axis], block.planar);
    }
    const Float8 slope = dot8(met.n, d);
    const Meeting8 meeting = meetPlane(dot8(met.n, met.v), slope, d, met.v);
    const float radius = leaf.leaves.radius();
    const Verdict8 verdict = judge(meeting, slope, Leaves::kScale, radius, sureSlack(radius),
                                   ray.range_min, ray.range_max, ray.cut);
    const Int8 lane = iota8();
    test.maybe = verdict.maybe & (lane < static_cast<std::int32_t>(leaf.count - i));
    test.sure = verdict.sure;
    met.t = meeting.t;
    met.off2 = meeting.off2 * leaf.inverse_radius2;
    met.planar = block.planar;
    met.surfel = lane + static_cast<std::int32_t>(leaf.first + i);
    return test;
  }

  template <Visit kVisit>
  void testBlock(WalkRay& ray, const OpenLeaf& leaf, std::uint32_t i, const float* offset) const {
    Test test = testAgainst(ray, leaf, i, offset);
    unsigned met = signs(test.maybe);
    if (met == 0) return;
    const unsigned unsure = signs(test.maybe & ~test.sure);
    if (kVisit == Visit::kNearest) {
      keepNearest(ray, leaf, i, test, met, unsure);
      return;
    }
    if (__builtin_expect(unsure != 0, 0)) met &= ~settle(ray, leaf, i, unsure, test.met);
    if (kVisit == Visit::kCollect) {
      const float cut = least(rangesOf(test)) + blending_.depth;
      ray.cut = cut < ray.cut ? cut : ray.cut;
      ray.met->append(test.met, met, leaf.code, ray.cut);
    } else {
      ray.sums->add(test.met, met, [&](unsigned lane) {
        return agreesExactly(ray.sums->first(), leaf.leaves.exact(i + lane));
      });
    }
  }

  // Ranges; infinite where nothing is met.
  static Float8 rangesOf(const Test& test) {
    return blend8(all8(__builtin_inff()), test.met.t, test.maybe);
  }

  void keepNearest(WalkRay& ray, const OpenLeaf& leaf, std::uint32_t i, const Test& test,
                   unsigned met, unsigned unsure) const {
    const Float8 ranges = rangesOf(test);
    const float range = least(ranges);
    const unsigned nearest = notAbove(ranges, all8(range));
    const bool tie = range == ray.cut || (nearest & (nearest - 1)) != 0;
    if (__builtin_expect(unsure != 0 || tie, 0)) {
      keepNearestOf(ray, leaf, i, met, unsure, test.met.t);
      return;
    }
    const std::uint32_t surfel = leaf.first + i + static_cast<unsigned>(__builtin_ctz(nearest));
    ray.surfel = range < ray.cut ? surfel : ray.surfel;
    ray.leaf = range < ray.cut ? leaf.code : ray.leaf;
    ray.cut = range < ray.cut ? range : ray.cut;
  }

  // Takes surfels one by one, the unsure ones in double precision.
  __attribute__((noinline)) void keepNearestOf(WalkRay& ray, const OpenLeaf& leaf, std::uint32_t i,
                                               unsigned met, unsigned unsure, Float8 t) const {
    float ranges[8];
    store8(ranges, t);
    for (; met != 0; met &= met - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(met));
      const float range =
          (unsure >> lane & 1) == 0 ? ranges[lane] : meetExactly(ray, leaf.leaves, i + lane).range;
      take(ray, range, leaf.code, leaf.first + i + lane);
    }
  }

  // Tests the unsure lanes again in double precision; returns those that are not met.
  __attribute__((noinline)) unsigned settle(const WalkRay& ray, const OpenLeaf& leaf,
                                            std::uint32_t i, unsigned unsure, Met& met) const {
    float ranges[8], off2[8];
    store8(ranges, met.t);
    store8(off2, met.off2);
    unsigned missed = 0;
    for (unsigned left = unsure; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      const Meeting meeting = meetExactly(ray, leaf.leaves, i + lane);
      if (meeting.range > ray.cut) missed |= 1U << lane;
      ranges[lane] = meeting.range;
      off2[lane] = meeting.off2 * leaf.inverse_radius2;
    }
    met.t = load8<Float8>(ranges);
    met.off2 = load8<Float8>(off2);
    return missed;
  }

  // Descends to the nearest child that the ray meets, pushing the others; false if there is none.
  bool descend(const WalkRay& ray, std::uint32_t& child, Entry* stack, int& size) const {
    const std::uint32_t number = child;
    const map::TreeNode& node = tree_.nodes[number];
    Float8 entry = all8(ray.range_min), exit = all8(ray.cut);
    for (int axis = 0; axis < 3; ++axis) {
      const float base = (node.origin[axis] - ray.origin[axis]) * ray.inverse[axis];
      const float scale = map::gridStep<float>(node, axis) * ray.inverse[axis];
      entry = max8(fromBytes(nearPlanes(node, axis)) * scale + base, entry);
      exit = min8(fromBytes(farPlanes(node, axis)) * scale + base, exit);
    }
    return goOn(node, entry, notAbove(entry, exit) & map::slotsUsed(node), child, stack, size);
  }

  // Pushes all met children but the nearest, nearer ones on top; returns the nearest.
  std::uint32_t pushSorted(const map::TreeNode& node, std::uint32_t number, Float8 entry,
                           unsigned met, Entry* stack, int& size) const {
    const Int8 lane = iota8();
    const Int8 key = (asInt(entry) & ~7) | lane;  // not negative: bits sort as integers
    std::int32_t keys[8], ranks[8];
    store8(keys, key);
    Int8 rank = key - key;
    for (unsigned left = met; left != 0; left &= left - 1) rank -= key > keys[__builtin_ctz(left)];
    store8(ranks, rank);
    float entries[8];
    store8(entries, entry);
    const int top = size + __builtin_popcount(met) - 1;
    for (unsigned left = met; left != 0; left &= left - 1) {
      const auto slot = static_cast<unsigned>(__builtin_ctz(left));
      prefetch(node, slot);
      stack[top - ranks[slot]] = {entries[slot], map::childOf(node, number, slot)};
    }
    size = top;
    return stack[top].child;
  }

  struct Meeting {
    float range;  // [m], infinite where the surfel is not met within the ray's limits
    float off2;   // [m^2]
  };

  // Tests a surfel in double precision.
  Meeting meetExactly(const WalkRay& ray, const Leaves& leaves, std::uint32_t i) const {
    const ExactSurfel surfel = leaves.exact(i);
    double v[3], d[3];
    for (int axis = 0; axis < 3; ++axis) {
      v[axis] = surfel.p[axis] - static_cast<double>(ray.origin[axis]) -
                static_cast<double>(ray.origin_rest[axis]);
      d[axis] =
          static_cast<double>(ray.direction[axis]) + static_cast<double>(ray.direction_rest[axis]);
    }
    const ExactMeeting meeting =
        lidar::meetExactly(v, surfel.n, surfel.planar, d, static_cast<double>(leaves.radius()),
                           static_cast<double>(ray.range_min), static_cast<double>(ray.range_max));
    return {meeting.met ? static_cast<float>(meeting.range) : __builtin_inff(),
            static_cast<float>(meeting.off2)};
  }

  void take(WalkRay& ray, float range, std::uint32_t leaf, std::uint32_t surfel) const {
    if (range > ray.cut || range == __builtin_inff()) return;
    if (range == ray.cut && ray.surfel != kNothing && surfel >= ray.surfel) {
      return;
    }
    ray.cut = range;
    ray.leaf = leaf;
    ray.surfel = surfel;
  }
  using Planes = std::uint8_t (map::TreeNode::*)[3][map::kTreeWidth];

  const map::SurfelTreeView& tree_;
  const CastBlending& blending_;
  Planes near_[3], far_[3];
};

}  // namespace
}  // namespace marsim::lidar
