#pragma once

#include <cstdint>

#include "lidar/cast/leaf_blocks.hpp"
#include "lidar/cast/ray_meets_surfel.hpp"
#include "lidar/cast/vector8.hpp"
#include "lidar/image/project_kernel.hpp"
#include "map/tree/leaf_storage.hpp"

/// First-surface blending (map::Blending) of the surfels that the cells of an image have met.
namespace marsim::lidar {
namespace {

/// Sums up, of every cell, what agrees with its nearest. In single precision as ImageWalk, but for
/// surfels that lie as far from the first's plane as may just count.
class ImageBlend {
 public:
  ImageBlend(const map::SurfelTreeView& tree, ImageStrip& strip)
      : tree_(tree),
        image_(strip),
        blending_(strip.blending),
        radius_(tree.header.radius),
        inverse_radius2_(1.0F / (radius_ * radius_)),
        inverse_depth_(1.0F / blending_.depth),
        min_cosine2_(blending_.min_cosine * blending_.min_cosine) {}

  void run() {
    forCells([&](int cell) { begin(cell); });
    for (std::uint32_t i = 0; i < blending_.seen_count; ++i) {
      const SeenSurfel& seen = blending_.seen[i];
      const bool planar = seen.n[0] != 0.0F || seen.n[1] != 0.0F || seen.n[2] != 0.0F;
      for (int row = seen.cells.first_row; row <= seen.cells.last_row; ++row) {
        for (int column = seen.cells.first_column; column <= seen.cells.last_column; column += 8) {
          const int cell = row * image_.stride + column;
          if (planar) {
            add<true>(i, cell);
          } else {
            add<false>(i, cell);
          }
        }
      }
    }
    forCells([&](int cell) { end(cell); });
  }

 private:
  static constexpr std::uint32_t kNothing = ImageStrip::kNothing;
  static constexpr float kLeastWeight = 1e-6F;
  static constexpr float kOffsetError = 2e-6F;  ///< relative to the distance: 32 of 2^-24

  template <class Act>
  void forCells(const Act& act) {
    for (int row = image_.first_row; row < image_.end_row; ++row) {
      for (int column = 0; column < image_.width; ++column) act(row * image_.stride + column);
    }
  }

  // The first's unit normal, and nothing but the first so far.
  void begin(int cell) {
    const std::uint32_t first = blending_.first[cell];
    image_.surfel[cell] = first;
    blending_.weights[cell] = blending_.mean[cell] = 0.0F;
    blending_.largest[cell] = -1.0F;
    if (first == kNothing) return;
    const SeenSurfel& seen = blending_.seen[first];
    const float length2 = seen.n[0] * seen.n[0] + seen.n[1] * seen.n[1] + seen.n[2] * seen.n[2];
    const float inverse = length2 > 0.0F ? 1.0F / __builtin_sqrtf(length2) : 0.0F;
    for (int axis = 0; axis < 3; ++axis) image_.normal[axis][cell] = inverse * seen.n[axis];
  }

  template <bool planar>
  void add(std::uint32_t number, int cell) {
    const SeenSurfel& seen = blending_.seen[number];
    Float8 d[3], first_n[3], v[3], n[3];
    for (int axis = 0; axis < 3; ++axis) {
      d[axis] = load8<Float8>(image_.direction[axis] + cell);
      first_n[axis] = load8<Float8>(image_.normal[axis] + cell);
      v[axis] = all8(seen.v[axis]);
      n[axis] = all8(seen.n[axis]);
    }
    const Meeting8 meeting = planar ? meetPlane(all8(seen.nv), dot8(n, d), d, v) : meetBall(d, v);
    const Float8 depth = load8<Float8>(image_.depth + cell);
    const Float8 behind = max8(meeting.t - depth, all8(0.0F));
    Int8 counts = (meeting.off2 * inverse_radius2_ <= 1.0F) & (meeting.t > 0.0F) &
                  (meeting.t <= image_.range_max) & (behind <= blending_.depth);
    if (signs(counts) == 0) return;
    const Int8 is_first = load8<Int8>(blending_.first + cell) == static_cast<std::int32_t>(number);
    counts &= agreeing<planar>(seen, cell, counts & ~is_first, depth, d, first_n) | is_first;
    if (signs(counts) == 0) return;

    const Float8 share =
        (1.0F - meeting.off2 * inverse_radius2_) * (1.0F - behind * inverse_depth_);
    const Float8 weight = blend8(all8(0.0F), max8(share, all8(0.0F)) + kLeastWeight, counts);
    addTo(blending_.weights + cell, weight);
    addTo(blending_.mean + cell, weight * behind);
    const Float8 largest = load8<Float8>(blending_.largest + cell);
    const Int8 takes =
        counts & ((weight > largest) | lower(seen, cell, counts & (weight == largest)));
    store8(blending_.largest + cell, blend8(largest, weight, takes));
    const Int8 best = load8<Int8>(image_.surfel + cell);
    store8(image_.surfel + cell, (best & ~takes) | (takes & static_cast<std::int32_t>(number)));
  }

  static void addTo(float* sums, Float8 values) { store8(sums, load8<Float8>(sums) + values); }

  // Whether the surfel agrees with the first of the cells asked for.
  template <bool planar>
  Int8 agreeing(const SeenSurfel& seen, int cell, Int8 asked, Float8 depth, const Float8* d,
                const Float8* first_n) const {
    if (!planar) return asked & (dot8(first_n, first_n) <= 0.0F);
    const Float8 cosine = first_n[0] * seen.n[0] + first_n[1] * seen.n[1] + first_n[2] * seen.n[2];
    const float length2 = seen.n[0] * seen.n[0] + seen.n[1] * seen.n[1] + seen.n[2] * seen.n[2];
    // The ray crosses the first's plane at `depth`.
    const Float8 offset = abs8(first_n[0] * seen.v[0] + first_n[1] * seen.v[1] +
                               first_n[2] * seen.v[2] - depth * dot8(first_n, d));
    const Float8 error = (depth + (blending_.depth + radius_)) * kOffsetError;
    Int8 agrees = asked & (cosine * cosine >= length2 * min_cosine2_) &
                  (offset <= error + blending_.max_offset);
    unsigned doubtful = signs(agrees & (offset >= blending_.max_offset - error));
    for (; __builtin_expect(doubtful != 0, 0); doubtful &= doubtful - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(doubtful));
      const SeenSurfel& first = blending_.seen[blending_.first[cell + static_cast<int>(lane)]];
      if (!agreesExactly(first, seen)) agrees &= maskOf(~(1U << lane));
    }
    return agrees;
  }

  __attribute__((noinline)) bool agreesExactly(const SeenSurfel& first,
                                               const SeenSurfel& other) const {
    const ExactSurfel a = exact(first), b = exact(other);
    double offset = 0.0, length2 = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      offset += a.n[axis] * (b.p[axis] - a.p[axis]);
      length2 += a.n[axis] * a.n[axis];
    }
    const auto most = static_cast<double>(blending_.max_offset);
    return offset * offset <= most * most * length2;
  }

  ExactSurfel exact(const SeenSurfel& seen) const {
    const float none[3] = {0.0F, 0.0F, 0.0F};
    const Leaves leaves(tree_, tree_.nodes[map::parentOf(seen.leaf)], map::slotOf(seen.leaf), none,
                        none);
    return leaves.exact(seen.surfel - leaves.first());
  }

  // Of the lanes asked for, those whose surfel of the largest weight has a higher number.
  Int8 lower(const SeenSurfel& seen, int cell, Int8 asked) const {
    unsigned result = 0;
    for (unsigned left = signs(asked); __builtin_expect(left != 0, 0); left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      const std::uint32_t best = image_.surfel[cell + static_cast<int>(lane)];
      if (seen.surfel < blending_.seen[best].surfel) result |= 1U << lane;
    }
    return maskOf(result);
  }

  void end(int cell) {
    const std::uint32_t best = image_.surfel[cell];
    if (best == kNothing) return;
    const SeenSurfel& seen = blending_.seen[best];
    const float weights = blending_.weights[cell];
    if (weights > 0.0F) image_.depth[cell] += blending_.mean[cell] / weights;
    image_.surfel[cell] = seen.surfel;
    for (int axis = 0; axis < 3; ++axis) image_.normal[axis][cell] = seen.n[axis];
  }

  const map::SurfelTreeView& tree_;
  ImageStrip& image_;
  ImageBlending& blending_;
  const float radius_;  // [m]
  const float inverse_radius2_, inverse_depth_, min_cosine2_;
};

}  // namespace
}  // namespace marsim::lidar
