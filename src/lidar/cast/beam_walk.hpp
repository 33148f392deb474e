// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lidar/cast/cast_kernel.hpp"
#include "lidar/cast/group_bounds.hpp"
#include "lidar/cast/ray_walk.hpp"

/// Walks the rays of one or two beams through a surfel tree.
namespace marsim::lidar {
namespace {

/// Rays that stay in a narrow tube go through the tree as one ray, and meet the surfels in the tube
/// one by one, eight rays at a time. The surfels that each ray has met within the depth behind its
/// nearest are blended (map::Blending, see BlendSums) at the end, again eight rays at a time.
class BeamWalk {
 public:
  BeamWalk(const map::SurfelTreeView& tree, const CastBlending& blending, const RayGroup& rays)
      : tree_(tree),
        blending_(blending),
        walk_(tree, blending, rays.negative),
        group_(rays),
        count_(rays.count),
        halves_((rays.count + 7) / 8),
        largest_radius_(map::largestRadius(tree)),
        bounds_(rays.negative) {
    load();
    findTube();
    for (int axis = 0; axis < 3; ++axis) prepare(axis);
  }

  /// Whether the rays go nearly the same way.
  bool isNarrow() const { return narrow_; }

  /// False if the rays meet more surfels than there is room for.
  bool run(GroupHits& hits) {
    if (tree_.header.node_count != 0) walk();
    if (overflown_) return false;
    for (int half = 0; half < halves_; ++half) finish(half, blend(half), hits);
    return true;
  }

 private:
  static constexpr int kMost = Candidates::kMost;
  static constexpr float kNarrow = 0.02F;  // largest distance of a direction from the mean
  static constexpr float kOffsetError = BlendSums::kOffsetError;

  // A surfel that some of the rays have met. p [m] is relative to the first ray's origin.
  struct MetByRays {
    Float8 t[2], off2[2];  // [m], [R^2]
    Int8 met[2];
    float p[3], n[3];  // a normal of any length
    bool planar;
    std::int32_t surfel, leaf;
  };

  // Eight rays and the first surfel of each.
  struct First8 {
    Float8 t, p[3], n[3];  // n: unit
    Int8 planar, surfel, leaf;
  };

  struct Blended8 {
    Float8 range, normal[3];  // normals of any length and sign
    Int8 surfel;
  };

  static Int8 same8(std::int32_t value) { return asInt(all8(0.0F)) + value; }
  static Int8 choose8(Int8 a, Int8 b, Int8 mask) {
    return asInt(blend8(asFloat(a), asFloat(b), mask));
  }

  void load() {
    const RayGroup::Lane& first = group_.lanes[0];
    for (int i = 0; i < 8 * halves_; ++i) {
      const bool used = i < count_;
      const RayGroup::Lane& lane = group_.lanes[used ? i : 0];
      for (int axis = 0; axis < 3; ++axis) {
        offset_[axis][i] = (lane.origin[axis] - first.origin[axis]) +
                           (lane.origin_rest[axis] - first.origin_rest[axis]);
        origin_[axis][i] = lane.origin[axis];
        direction_[axis][i] = lane.direction[axis];
      }
      range_min_[i] = lane.origin[3];
      range_max_[i] = lane.direction[3];
      cut_[i] = used ? lane.direction[3] : -1.0F;
    }
  }

  // Where a ray from o_i meets a surfel at range t, it is within R of the surfel's centre p, and
  // off the axis from o_0 by at most spread + slope * t. t is at most |p - o_0| + spread + R, and
  // |p - o_0| at most the sum of p's distances along the axis and from it.
  void findTube() {
    Float8 sum[3];
    for (int axis = 0; axis < 3; ++axis) {
      sum[axis] = direction8(axis, 0);
      if (halves_ == 2) sum[axis] = sum[axis] + direction8(axis, 1);
    }
    float length2 = 0.0F;
    for (int axis = 0; axis < 3; ++axis) {
      axis_[axis] = lidar::sum(sum[axis]);
      length2 += axis_[axis] * axis_[axis];
    }
    const float inverse = 1.0F / __builtin_sqrtf(length2);
    for (float& component : axis_) component *= inverse;
    Float8 turn2 = all8(0.0F), off2 = all8(0.0F);
    for (int half = 0; half < halves_; ++half) {
      Float8 turn[3], off[3];
      for (int axis = 0; axis < 3; ++axis) {
        turn[axis] = direction8(axis, half) - axis_[axis];
        off[axis] = load8<Float8>(offset_[axis] + 8 * half);
      }
      turn2 = max8(turn2, dot8(turn, turn));
      off2 = max8(off2, dot8(off, off));
    }
    slope_ = __builtin_sqrtf(most(turn2)) + 1e-6F;
    spread_ = __builtin_sqrtf(most(off2));
    narrow_ = slope_ < kNarrow && spread_ < tree_.header.radius;
    tube_share_ = 1.0001F / (1.0F - slope_);
    tube_slope_ = slope_ * tube_share_ + 2e-6F;  // and the rounding at large distances
  }

  // Bounds of origins and inverse directions, as in GroupWalk.
  void prepare(int axis) {
    Float8 low = load8<Float8>(origin_[axis]), high = low;
    Float8 inverse = 1.0F / max8(abs8(direction8(axis, 0)), all8(1e-18F));
    Float8 least_inverse = inverse, most_inverse = inverse;
    if (halves_ == 2) {
      low = min8(low, load8<Float8>(origin_[axis] + 8));
      high = max8(high, load8<Float8>(origin_[axis] + 8));
      inverse = 1.0F / max8(abs8(direction8(axis, 1)), all8(1e-18F));
      least_inverse = min8(least_inverse, inverse);
      most_inverse = max8(most_inverse, inverse);
    }
    bounds_.set(axis, least(low), most(high), least(least_inverse), most(most_inverse));
  }

  Float8 direction8(int axis, int half) const { return load8<Float8>(direction_[axis] + 8 * half); }

  float farthestCut() const {
    const Float8 first = load8<Float8>(cut_);
    return most(halves_ == 2 ? max8(first, load8<Float8>(cut_ + 8)) : first);
  }

  void walk() {
    RayWalk::Entry stack[(map::kTreeWidth - 1) * map::kMaxTreeDepth + map::kTreeWidth];
    int size = 0;
    std::uint32_t child = 0;
    farthest_cut_ = farthestCut();
    for (;;) {
      if ((child & map::kLeafBit) != 0) {
        meetLeaf(child);
      } else if (descend(child, stack, size)) {
        continue;
      }
      do {
        if (size == 0) return;
        --size;
      } while (stack[size].entry > farthest_cut_);
      child = stack[size].child;
    }
  }

  // Tests boxes as GroupWalk does, and descends as RayWalk.
  bool descend(std::uint32_t& child, RayWalk::Entry* stack, int& size) const {
    const map::TreeNode& node = tree_.nodes[child];
    Float8 entry;
    const unsigned met = bounds_.childrenMet(walk_, node, farthest_cut_, entry);
    return walk_.goOn(node, entry, met, child, stack, size);
  }

  // [m] Radius of the tube at its beginning.
  float tubeRadius(float radius) const {
    return (radius + spread_ + slope_ * (spread_ + radius)) * tube_share_;
  }

  // A mask of those of eight surfels that lie in the tube.
  unsigned inTube(const Block& block, float tube_radius) const {
    const float* const a = axis_;
    const Float8* const v = block.v;
    const Float8 off[3] = {v[1] * a[2] - v[2] * a[1], v[2] * a[0] - v[0] * a[2],
                           v[0] * a[1] - v[1] * a[0]};
    const Float8 radius = abs8(dot8(v, a)) * tube_slope_ + tube_radius;
    return signs(dot8(off, off) <= radius * radius);
  }

  void meetLeaf(std::uint32_t child) {
    const RayGroup::Lane& first = group_.lanes[0];
    const Leaves leaf = walk_.leavesOf(child, first.origin, first.origin_rest);
    const float tube_radius = tubeRadius(leaf.radius());
    for (std::uint32_t i = 0; i < leaf.count(); i += 8) {
      const Block block = leaf.block(i);
      const std::uint32_t rest = leaf.count() - i;
      unsigned lanes = inTube(block, tube_radius) & (rest < 8 ? (1U << rest) - 1 : 255U);
      if (lanes == 0) continue;
      float p[3][8], n[3][8];
      for (int axis = 0; axis < 3; ++axis) {
        store8(p[axis], block.v[axis]);
        store8(n[axis], block.n[axis]);
      }
      const unsigned planar = signs(block.planar);
      for (; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
        if (count_met_ == kMost && !dropBeyond()) return;
        MetByRays& met = met_[count_met_];
        for (int axis = 0; axis < 3; ++axis) {
          met.p[axis] = p[axis][lane];
          met.n[axis] = n[axis][lane];
        }
        met.planar = (planar >> lane & 1U) != 0;
        met.surfel = static_cast<std::int32_t>(leaf.first() + i + lane);
        met.leaf = static_cast<std::int32_t>(child);
        count_met_ += meet(met, leaf.radius()) ? 1 : 0;
      }
    }
    farthest_cut_ = farthestCut();
  }

  // Whether any ray meets a surfel.
  bool meet(MetByRays& met, float radius) {
    const float inverse_radius2 = 1.0F / (radius * radius);
    bool any = false;
    for (int half = 0; half < halves_; ++half) {
      Float8 d[3], v[3], n[3];
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = direction8(axis, half);
        v[axis] = met.p[axis] - load8<Float8>(offset_[axis] + 8 * half);
        n[axis] = met.planar ? all8(met.n[axis]) : d[axis] * Leaves::kScale;
      }
      const Float8 cut = load8<Float8>(cut_ + 8 * half);
      const Float8 slope = dot8(n, d);
      const Meeting8 meeting = meetPlane(dot8(n, v), slope, d, v);
      const Verdict8 verdict =
          judge(meeting, slope, Leaves::kScale, radius, sureSlack(radius),
                load8<Float8>(range_min_ + 8 * half), load8<Float8>(range_max_ + 8 * half), cut);
      met.met[half] = verdict.maybe & (cut > 0.0F);
      met.t[half] = meeting.t;
      met.off2[half] = meeting.off2;
      const unsigned unsure = signs(met.met[half] & ~verdict.sure);
      if (__builtin_expect(unsure != 0, 0)) settle(half, unsure, radius, met);
      met.off2[half] = met.off2[half] * inverse_radius2;
      any |= signs(met.met[half]) != 0;
      const Float8 nearer = min8(cut, met.t[half] + blending_.depth);
      store8(cut_ + 8 * half, blend8(cut, nearer, met.met[half]));
    }
    return any;
  }

  // Repeats the unsure lanes in double precision.
  __attribute__((noinline)) void settle(int half, unsigned unsure, float radius,
                                        MetByRays& met) const {
    const ExactSurfel surfel = walk_.exactSurfel(static_cast<std::uint32_t>(met.leaf),
                                                 static_cast<std::uint32_t>(met.surfel));
    float t[8], off2[8];
    store8(t, met.t[half]);
    store8(off2, met.off2[half]);
    unsigned missed = 0;
    for (; unsure != 0; unsure &= unsure - 1) {
      const int lane = __builtin_ctz(unsure), ray = 8 * half + lane;
      const RayGroup::Lane& of = group_.lanes[ray];
      double v[3], d[3];
      for (int axis = 0; axis < 3; ++axis) {
        v[axis] = surfel.p[axis] - static_cast<double>(of.origin[axis]) -
                  static_cast<double>(of.origin_rest[axis]);
        d[axis] =
            static_cast<double>(of.direction[axis]) + static_cast<double>(of.direction_rest[axis]);
      }
      const ExactMeeting exact =
          meetExactly(v, surfel.n, surfel.planar, d, static_cast<double>(radius),
                      static_cast<double>(range_min_[ray]), static_cast<double>(range_max_[ray]));
      t[lane] = static_cast<float>(exact.range);
      off2[lane] = static_cast<float>(exact.off2);
      if (!exact.met || t[lane] > cut_[ray]) missed |= 1U << lane;
    }
    met.t[half] = load8<Float8>(t);
    met.off2[half] = load8<Float8>(off2);
    met.met[half] &= maskOf(~missed);
  }

  // Drops surfels beyond the cut to make room; false if none are.
  __attribute__((noinline)) bool dropBeyond() {
    int kept = 0;
    for (int i = 0; i < count_met_; ++i) {
      unsigned within = 0;
      for (int half = 0; half < halves_; ++half) {
        within |= signs(met_[i].met[half] & (met_[i].t[half] <= load8<Float8>(cut_ + 8 * half)));
      }
      if (within != 0) met_[kept++] = met_[i];
    }
    overflown_ = kept == count_met_;
    if (overflown_) farthest_cut_ = -1.0F;  // ends the walk
    count_met_ = kept;
    return !overflown_;
  }

  Float8 normalOf(const MetByRays& met, int axis, int half) const {
    return met.planar ? all8(met.n[axis]) : direction8(axis, half);
  }

  First8 firstOf(int half) const {
    First8 first;
    first.t = all8(__builtin_inff());
    first.surfel = first.leaf = same8(-1);
    first.planar = asInt(all8(0.0F));
    for (int axis = 0; axis < 3; ++axis) first.p[axis] = first.n[axis] = all8(0.0F);
    for (int i = 0; i < count_met_; ++i) {
      const MetByRays& met = met_[i];
      const Float8 t = met.t[half];
      const Int8 surfel = same8(met.surfel);
      const Int8 takes =
          met.met[half] & ((t < first.t) | ((t == first.t) & (surfel < first.surfel)));
      first.t = blend8(first.t, t, takes);
      first.surfel = choose8(first.surfel, surfel, takes);
      first.leaf = choose8(first.leaf, same8(met.leaf), takes);
      const Int8 planar = same8(met.planar ? -1 : 0);
      first.planar = choose8(first.planar, planar, takes);
      for (int axis = 0; axis < 3; ++axis) {
        first.p[axis] = blend8(first.p[axis], all8(met.p[axis]), takes);
        first.n[axis] = blend8(first.n[axis], normalOf(met, axis, half), takes);
      }
    }
    const Float8 inverse = 1.0F / sqrt8(dot8(first.n, first.n));
    for (Float8& component : first.n) component = component * inverse;
    return first;
  }

  // Rays for which a surfel is near the first's plane and turned like it.
  Int8 agreeing(const MetByRays& met, const First8& first, Int8 asked) const {
    Float8 n[3], way[3];
    for (int axis = 0; axis < 3; ++axis) {
      n[axis] = all8(met.n[axis]);
      way[axis] = met.p[axis] - first.p[axis];
    }
    const Float8 cosine = dot8(n, first.n), offset = abs8(dot8(way, first.n));
    const Float8 error = (first.t + (blending_.depth + largest_radius_)) * kOffsetError;
    Int8 agrees = asked &
                  (cosine * cosine >= dot8(n, n) * (blending_.min_cosine * blending_.min_cosine)) &
                  (offset <= error + blending_.max_offset);
    unsigned doubtful = signs(agrees & (offset >= blending_.max_offset - error));
    for (; __builtin_expect(doubtful != 0, 0); doubtful &= doubtful - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(doubtful));
      if (!agreesExactly(met, first, lane)) agrees &= maskOf(~(1U << lane));
    }
    return agrees;
  }

  __attribute__((noinline)) bool agreesExactly(const MetByRays& met, const First8& first,
                                               unsigned lane) const {
    FirstMet of{};
    std::int32_t numbers[8];
    store8(numbers, first.surfel);
    of.surfel = static_cast<std::uint32_t>(numbers[lane]);
    store8(numbers, first.leaf);
    of.leaf = static_cast<std::uint32_t>(numbers[lane]);
    return walk_.agreesExactly(of, walk_.exactSurfel(static_cast<std::uint32_t>(met.leaf),
                                                     static_cast<std::uint32_t>(met.surfel)));
  }

  Blended8 blend(int half) const {
    const First8 first = firstOf(half);
    Blended8 result{first.t, {first.n[0], first.n[1], first.n[2]}, first.surfel};
    if (!(blending_.depth > 0.0F)) return result;
    const float inverse_depth = 1.0F / blending_.depth;
    Float8 weights = all8(0.0F), mean = all8(0.0F), largest = all8(-1.0F);
    for (int i = 0; i < count_met_; ++i) {
      const MetByRays& met = met_[i];
      const Int8 surfel = same8(met.surfel);
      const Float8 behind = max8(met.t[half] - first.t, all8(0.0F));
      Int8 counts = met.met[half] & (behind <= blending_.depth);
      counts &= met.planar
                    ? (agreeing(met, first, counts & first.planar) | (surfel == first.surfel))
                    : ~first.planar;
      const Float8 share = (1.0F - met.off2[half]) * (1.0F - behind * inverse_depth);
      const Float8 weight = blend8(all8(0.0F), max8(share, all8(0.0F)) + kLeastWeight, counts);
      weights += weight;
      mean += blend8(all8(0.0F), weight * behind, counts);
      const Int8 takes =
          counts & ((weight > largest) | ((weight == largest) & (surfel < result.surfel)));
      largest = blend8(largest, weight, takes);
      result.surfel = choose8(result.surfel, surfel, takes);
      for (int axis = 0; axis < 3; ++axis) {
        result.normal[axis] = blend8(result.normal[axis], normalOf(met, axis, half), takes);
      }
    }
    result.range = first.t + blend8(all8(0.0F), mean / weights, weights > 0.0F);
    return result;
  }

  void finish(int half, const Blended8& result, GroupHits& hits) const {
    store8(hits.range + 8 * half, result.range);
    store8(hits.surfel + 8 * half, result.surfel);
    Float8 d[3];
    for (int axis = 0; axis < 3; ++axis) d[axis] = direction8(axis, half);
    const Float8 inverse = 1.0F / sqrt8(dot8(result.normal, result.normal));
    const Float8 scale = blend8(inverse, -inverse, dot8(result.normal, d) > 0.0F);
    for (int axis = 0; axis < 3; ++axis) {
      store8(hits.normal[axis] + 8 * half, scale * result.normal[axis]);
    }
  }

  const map::SurfelTreeView& tree_;
  const CastBlending& blending_;
  const RayWalk walk_;
  const RayGroup& group_;
  const int count_, halves_;
  const float largest_radius_;  // [m]
  GroupBounds bounds_;
  bool narrow_;
  float axis_[3], slope_, spread_, tube_share_, tube_slope_;
  float farthest_cut_;  // [m] of all rays
  alignas(64) float origin_[3][kGroupSize], offset_[3][kGroupSize];
  alignas(64) float direction_[3][kGroupSize];
  alignas(64) float range_min_[kGroupSize], range_max_[kGroupSize], cut_[kGroupSize];
  int count_met_ = 0;
  bool overflown_ = false;
  MetByRays met_[kMost];
};

}  // namespace
}  // namespace marsim::lidar
