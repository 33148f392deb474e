// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lidar/cast/cast_kernel.hpp"
#include "lidar/cast/vector8.hpp"

/// First-surface blending (map::Blending) of the surfels that one ray has met.
namespace marsim::lidar {
namespace {

/// Surfels that a ray has met, eight at a time. v = p - o [m]; n: normals of any length, the ray's
/// direction where they are not planar; off2: squared distance of the crossing from p, in R^2 of
/// the surfel.
struct Met {
  Float8 t, off2;  // [m], [R^2]
  Float8 v[3], n[3];
  Int8 planar;  // by sign
  Int8 surfel;  // in tree order
};

/// The nearest surfel that a ray meets.
struct FirstMet {
  float t;           // [m]
  float v[3], n[3];  // [m] p - o; unit
  bool planar;
  std::uint32_t surfel, leaf;
};

/// Surfels that a ray has met so far, within the depth behind the nearest.
struct Candidates {
  static constexpr int kMost = 64;
  static constexpr int kRoom = kMost + 8;

  int count;
  bool overflown;  ///< some are missing
  float t[kRoom], off2[kRoom], v[3][kRoom], n[3][kRoom];
  std::int32_t planar[kRoom];
  std::uint32_t surfel[kRoom], leaf[kRoom];

  void clear() {
    count = 0;
    overflown = false;
  }

  // Appends the lanes of `met` whose bits are set.
  void append(const Met& met, unsigned lanes, std::uint32_t code, float cut) {
    if (count + __builtin_popcount(lanes) > kMost) dropBeyond(cut);
    if (count + __builtin_popcount(lanes) > kMost) {
      overflown = true;
      return;
    }
    const Packing packing(lanes);
    packing.store(met.t, t + count);
    packing.store(met.off2, off2 + count);
    for (int axis = 0; axis < 3; ++axis) {
      packing.store(met.v[axis], v[axis] + count);
      packing.store(met.n[axis], n[axis] + count);
    }
    packing.store(asFloat(met.planar), planar + count);
    packing.store(asFloat(met.surfel), surfel + count);
    store8(leaf + count, asInt(all8(0.0F)) + static_cast<std::int32_t>(code));
    count += __builtin_popcount(lanes);
  }

  FirstMet first(int i) const {
    FirstMet result{t[i], {}, {}, planar[i] < 0, surfel[i], leaf[i]};
    const float length2 = n[0][i] * n[0][i] + n[1][i] * n[1][i] + n[2][i] * n[2][i];
    const float inverse = 1.0F / __builtin_sqrtf(length2);
    for (int axis = 0; axis < 3; ++axis) {
      result.v[axis] = v[axis][i];
      result.n[axis] = inverse * n[axis][i];
    }
    return result;
  }

  Met load(int i) const {
    Met met;
    met.t = load8<Float8>(t + i);
    met.off2 = load8<Float8>(off2 + i);
    for (int axis = 0; axis < 3; ++axis) {
      met.v[axis] = load8<Float8>(v[axis] + i);
      met.n[axis] = load8<Float8>(n[axis] + i);
    }
    met.planar = load8<Int8>(planar + i);
    met.surfel = load8<Int8>(surfel + i);
    return met;
  }

 private:
  __attribute__((noinline)) void dropBeyond(float cut) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
      if (t[i] > cut) continue;
      t[kept] = t[i];
      off2[kept] = off2[i];
      for (int axis = 0; axis < 3; ++axis) {
        v[axis][kept] = v[axis][i];
        n[axis][kept] = n[axis][i];
      }
      planar[kept] = planar[i];
      surfel[kept] = surfel[i];
      leaf[kept++] = leaf[i];
    }
    count = kept;
  }
};

struct Blended {
  float range;
  std::uint32_t surfel;
  float normal[3];  // of any length and sign
};

/// Weighted sums over the surfels that agree with the first.
class BlendSums {
 public:
  static constexpr float kOffsetError = 1e-6F;  ///< relative to the distance: sixteen times 2^-24

  // `radius` [m]: the largest surfel's.
  BlendSums(const CastBlending& blending, float radius, const FirstMet& first)
      : first_(first),
        depth_(blending.depth),
        inverse_depth_(1.0F / blending.depth),
        min_cosine2_(blending.min_cosine * blending.min_cosine),
        max_offset_(blending.max_offset),
        offset_error_(kOffsetError * (first.t + blending.depth + radius)) {
    weight_ = mean_ = all8(0.0F);
    largest_ = all8(-1.0F);
    surfel_ = asInt(all8(0.0F));
    for (Float8& n : normal_) n = all8(0.0F);
  }

  /// `agrees(lane)` decides in double precision whether a surfel is near enough to the first's
  /// plane; it is called where single precision cannot decide.
  template <class Agrees>
  void add(const Met& met, unsigned lanes, const Agrees& agrees) {
    const Float8 behind = max8(met.t - first_.t, all8(0.0F));
    Int8 counts = (behind <= depth_) & maskOf(lanes);
    if (first_.planar) {
      const Float8* n = met.n;
      const Float8 cosine = n[0] * first_.n[0] + n[1] * first_.n[1] + n[2] * first_.n[2];
      const Float8 length2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
      const Float8 offset =
          abs8((met.v[0] - first_.v[0]) * first_.n[0] + (met.v[1] - first_.v[1]) * first_.n[1] +
               (met.v[2] - first_.v[2]) * first_.n[2]);
      counts &= (met.planar < 0) & (cosine * cosine >= length2 * min_cosine2_) &
                (offset <= max_offset_ + offset_error_);
      const unsigned doubtful = signs(counts & (offset >= max_offset_ - offset_error_));
      if (__builtin_expect(doubtful != 0, 0))
        counts &= maskOf(signs(counts) & ~no(doubtful, agrees));
      counts |= (met.surfel == static_cast<std::int32_t>(first_.surfel)) & maskOf(lanes);
    } else {
      counts &= met.planar >= 0;
    }
    const Float8 share = (1.0F - met.off2) * (1.0F - behind * inverse_depth_);
    const Float8 weight = blend8(all8(0.0F), max8(share, all8(0.0F)) + kLeastWeight, counts);
    weight_ += weight;
    mean_ += blend8(all8(0.0F), weight * behind, counts);
    const Int8 larger = (weight > largest_) | ((weight == largest_) & (met.surfel < surfel_));
    const Int8 takes = counts & larger;
    largest_ = blend8(largest_, weight, takes);
    surfel_ = asInt(blend8(asFloat(surfel_), asFloat(met.surfel), takes));
    for (int axis = 0; axis < 3; ++axis) normal_[axis] = blend8(normal_[axis], met.n[axis], takes);
  }

  const FirstMet& first() const { return first_; }

  Blended result() const {
    const float largest = most(largest_);
    std::int32_t surfels[8];
    store8(surfels, surfel_);
    unsigned left = notAbove(all8(largest), largest_);
    auto lane = static_cast<unsigned>(__builtin_ctz(left));
    for (left &= left - 1; left != 0; left &= left - 1) {
      const auto other = static_cast<unsigned>(__builtin_ctz(left));
      if (surfels[other] < surfels[lane]) lane = other;
    }
    Blended result;
    result.range = first_.t + sum(mean_) / sum(weight_);
    result.surfel = static_cast<std::uint32_t>(surfels[lane]);
    for (int axis = 0; axis < 3; ++axis) result.normal[axis] = laneOf(normal_[axis], lane);
    return result;
  }

 private:
  // The lanes that do not agree.
  template <class Agrees>
  __attribute__((noinline)) static unsigned no(unsigned lanes, const Agrees& agrees) {
    unsigned result = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
      if (!agrees(lane)) result |= 1U << lane;
    }
    return result;
  }

  const FirstMet& first_;
  const float depth_, inverse_depth_, min_cosine2_, max_offset_, offset_error_;
  Float8 weight_, mean_;  // sums of weights, and of weights times the range behind the first
  Float8 largest_, normal_[3];
  Int8 surfel_;
};

}  // namespace
}  // namespace marsim::lidar
