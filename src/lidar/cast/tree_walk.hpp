// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lidar/cast/cast_kernel.hpp"
#include "lidar/cast/group_bounds.hpp"
#include "lidar/cast/ray_walk.hpp"

/// Walks a group of rays through a surfel tree: together as long as two or more meet the same
/// boxes, then one by one.
namespace marsim::lidar {
namespace {

/// kVisit: kNearest or kCollect.
template <Visit kVisit>
class GroupWalk {
 public:
  GroupWalk(const map::SurfelTreeView& tree, const CastBlending& blending, const RayGroup& rays)
      : tree_(tree),
        blending_(blending),
        walk_(tree, blending, rays.negative),
        count_(rays.count),
        bounds_(rays.negative) {
    for (int i = 0; i < kGroupSize; ++i) load(rays.lanes[i < count_ ? i : 0], i);
    for (int axis = 0; axis < 3; ++axis) prepare(axis);
    for (int i = 0; i < count_; ++i) {
      for (int axis = 0; axis < 3; ++axis) rays_[i].inverse[axis] = inverse_[axis][i];
    }
  }

  void run(GroupHits& hits) {
    if (tree_.header.node_count != 0) walk();
    for (int i = 0; i < count_; ++i) {
      if (kVisit == Visit::kCollect) {
        finish(rays_[i], blend(rays_[i]), i, hits);
      } else {
        finish(rays_[i], nearest(rays_[i]), i, hits);
      }
    }
  }

 private:
  struct Entry {
    float near[3], far[3];  // planes of the box [m]
    std::uint32_t child;
  };
  // Fewer rays than this go on alone.
  static constexpr int kTogether = 2;

  // Lanes beyond the count repeat the first ray and meet nothing.
  void load(const RayGroup::Lane& lane, int i) {
    WalkRay& ray = rays_[i];
    for (int axis = 0; axis < 3; ++axis) {
      ray.origin[axis] = lane.origin[axis];
      ray.origin_rest[axis] = lane.origin_rest[axis];
      ray.offset[axis] = (lane.origin[axis] - rays_[0].origin[axis]) +
                         (lane.origin_rest[axis] - rays_[0].origin_rest[axis]);
      ray.direction[axis] = lane.direction[axis];
      ray.direction_rest[axis] = lane.direction_rest[axis];
      origin_[axis][i] = lane.origin[axis];
      inverse_[axis][i] = lane.direction[axis];
    }
    ray.range_min = lane.origin[3];
    ray.range_max = lane.direction[3];
    ray.cut = ray.range_max;
    ray.surfel = kNothing;
    if (kVisit == Visit::kCollect) {
      ray.met = &met_[i];
      met_[i].clear();
    }
    range_min_[i] = ray.range_min;
    cut_[i] = i < count_ ? ray.cut : -1.0F;
  }

  // Inverts an axis' directions, and finds bounds of them and of the origins.
  void prepare(int axis) {
    // Finite also for a component of zero: no NaN if a box's plane holds the origin.
    const Float8 a = 1.0F / max8(abs8(load8<Float8>(inverse_[axis])), all8(1e-18F));
    const Float8 b = 1.0F / max8(abs8(load8<Float8>(inverse_[axis] + 8)), all8(1e-18F));
    store8(inverse_[axis], a * bounds_.sign[axis]);
    store8(inverse_[axis] + 8, b * bounds_.sign[axis]);
    const Float8 x = load8<Float8>(origin_[axis]), y = load8<Float8>(origin_[axis] + 8);
    bounds_.set(axis, least(min8(x, y)), most(max8(x, y)), least(min8(a, b)), most(max8(a, b)));
  }

  void walk() {
    Entry stack[(map::kTreeWidth - 1) * map::kMaxTreeDepth + map::kTreeWidth];
    int size = 0;
    visit(0, (1U << count_) - 1, stack, size);
    while (size > 0) {
      const Entry& entry = stack[--size];
      const unsigned rays = raysThrough(entry);
      if (rays != 0) visit(entry.child, rays, stack, size);
    }
  }

  void visit(std::uint32_t child, unsigned rays, Entry* stack, int& size) {
    if ((child & map::kLeafBit) != 0) {
      const RayWalk::OpenLeaf leaf = walk_.open(child, rays_[0].origin, rays_[0].origin_rest);
      for (; rays != 0; rays &= rays - 1) {
        const int i = __builtin_ctz(rays);
        walk_.testLeaf<kVisit>(rays_[i], leaf, rays_[i].offset);
        cut_[i] = rays_[i].cut;
      }
    } else if (__builtin_popcount(rays) < kTogether) {
      for (; rays != 0; rays &= rays - 1) {
        const int i = __builtin_ctz(rays);
        walk_.run<kVisit>(rays_[i], child);
        cut_[i] = rays_[i].cut;
      }
    } else {
      descend(child, stack, size);
    }
  }

  // A mask of the rays that meet a box within their limits.
  unsigned raysThrough(const Entry& box) const {
    unsigned rays = 0;
    for (int half = 0; half < kGroupSize; half += 8) {
      Float8 entry = load8<Float8>(range_min_ + half), exit = load8<Float8>(cut_ + half);
      for (int axis = 0; axis < 3; ++axis) {
        const Float8 origin = load8<Float8>(origin_[axis] + half);
        const Float8 inverse = load8<Float8>(inverse_[axis] + half);
        entry = max8((box.near[axis] - origin) * inverse, entry);
        exit = min8((box.far[axis] - origin) * inverse, exit);
      }
      rays |= notAbove(entry, exit) << half;
    }
    return rays;
  }

  float farthestCut() const { return most(max8(load8<Float8>(cut_), load8<Float8>(cut_ + 8))); }

  // Pushes the children that a ray from the origins' box, with a direction between those of the
  // group, may meet; the nearest on top.
  void descend(std::uint32_t number, Entry* stack, int& size) const {
    const map::TreeNode& node = tree_.nodes[number];
    Float8 entry;
    const unsigned met = bounds_.childrenMet(walk_, node, farthestCut(), entry);
    if (met == 0) return;
    const Int8 lane = iota8();
    const Int8 key = (asInt(entry) & ~7) | lane;
    std::int32_t keys[8], ranks[8];
    store8(keys, key);
    Int8 rank = key - key;
    for (unsigned left = met; left != 0; left &= left - 1) rank -= key > keys[__builtin_ctz(left)];
    store8(ranks, rank);
    const int top = size + __builtin_popcount(met) - 1;
    for (unsigned left = met; left != 0; left &= left - 1) {
      const auto slot = static_cast<unsigned>(__builtin_ctz(left));
      walk_.prefetch(node, slot);
      fill(node, number, slot, stack[top - ranks[slot]]);
    }
    size = top + 1;
  }

  void fill(const map::TreeNode& node, std::uint32_t number, unsigned slot, Entry& entry) const {
    for (int axis = 0; axis < 3; ++axis) {
      const float scale = map::gridStep<float>(node, axis);
      entry.near[axis] = node.origin[axis] + walk_.nearPlanes(node, axis)[slot] * scale;
      entry.far[axis] = node.origin[axis] + walk_.farPlanes(node, axis)[slot] * scale;
    }
    entry.child = map::childOf(node, number, slot);
  }

  // A ray's result; its normal has any length and sign.
  Blended nearest(const WalkRay& ray) const {
    Blended result{ray.cut, ray.surfel, {}};
    if (ray.surfel == kNothing) return result;
    const ExactSurfel surfel = walk_.exactSurfel(ray.leaf, ray.surfel);
    for (int axis = 0; axis < 3; ++axis) {
      result.normal[axis] =
          surfel.planar ? static_cast<float>(surfel.n[axis]) : ray.direction[axis];
    }
    return result;
  }

  Blended blend(WalkRay& ray) {
    if (__builtin_expect(ray.met->overflown, 0)) return blendInTwoWalks(ray);
    const Candidates& met = *ray.met;
    if (met.count == 0) return nearest(ray);
    const FirstMet first = firstOf(met);
    BlendSums sums(blending_, map::largestRadius(tree_), first);
    for (int i = 0; i < met.count; i += 8) {
      const unsigned lanes = met.count - i < 8 ? (1U << (met.count - i)) - 1 : 255U;
      sums.add(met.load(i), lanes, [&](unsigned lane) {
        const auto k = i + static_cast<int>(lane);
        return walk_.agreesExactly(first, walk_.exactSurfel(met.leaf[k], met.surfel[k]));
      });
    }
    return sums.result();
  }

  static FirstMet firstOf(const Candidates& met) {
    Float8 nearest = all8(__builtin_inff());
    for (int i = 0; i < met.count; i += 8) {
      const Int8 own = iota8() < met.count - i;
      nearest = min8(blend8(all8(__builtin_inff()), load8<Float8>(met.t + i), own), nearest);
    }
    const float t = least(nearest);
    int first = 0;
    while (met.t[first] != t) ++first;
    for (int i = first + 1; i < met.count; ++i) {
      if (met.t[i] == t && met.surfel[i] < met.surfel[first]) first = i;
    }
    return met.first(first);
  }

  // For a ray with more surfels than there is room for: finds the nearest first, then the sums.
  __attribute__((noinline)) Blended blendInTwoWalks(WalkRay& ray) {
    ray.cut = ray.range_max;
    walk_.run<Visit::kNearest>(ray, 0);
    if (ray.surfel == kNothing) return nearest(ray);
    const FirstMet first = walk_.firstMet(ray, ray.cut, ray.leaf, ray.surfel);
    BlendSums sums(blending_, map::largestRadius(tree_), first);
    ray.sums = &sums;
    const float cut = ray.cut + blending_.depth;
    ray.cut = cut < ray.range_max ? cut : ray.range_max;
    walk_.run<Visit::kSum>(ray, 0);
    return sums.result();
  }

  void finish(const WalkRay& ray, const Blended& result, int i, GroupHits& hits) const {
    hits.range[i] = result.range;
    hits.surfel[i] = result.surfel;
    float slope = 0.0F, length2 = 0.0F;
    for (int axis = 0; axis < 3; ++axis) {
      slope += result.normal[axis] * ray.direction[axis];
      length2 += result.normal[axis] * result.normal[axis];
    }
    const float inverse = 1.0F / __builtin_sqrtf(length2);
    const float scale = slope > 0.0F ? -inverse : inverse;
    for (int axis = 0; axis < 3; ++axis) hits.normal[axis][i] = scale * result.normal[axis];
  }

  const map::SurfelTreeView& tree_;
  const CastBlending& blending_;
  const RayWalk walk_;
  const int count_;
  GroupBounds bounds_;
  alignas(64) float origin_[3][kGroupSize];
  alignas(64) float inverse_[3][kGroupSize];
  alignas(64) float range_min_[kGroupSize], cut_[kGroupSize];
  WalkRay rays_[kGroupSize];
  Candidates met_[kVisit == Visit::kCollect ? kGroupSize : 1];
};

}  // namespace
}  // namespace marsim::lidar
