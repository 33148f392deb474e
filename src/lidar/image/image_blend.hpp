// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lidar/cast/cast_kernel.hpp"
#include "lidar/cast/leaf_blocks.hpp"
#include "lidar/cast/ray_meets_surfel.hpp"
#include "lidar/cast/vector8.hpp"
#include "lidar/image/project_kernel.hpp"
#include "map/tree/leaf_storage.hpp"

/// First-surface blending (map::Blending) of the surfels that the cells of an image have met.
namespace marsim::lidar {
namespace {

/// Sums up, for every cell, the surfels that agree with its nearest one. In single precision as
/// ImageWalk, except for surfels at the limit of distance from the first's plane.
class ImageBlend {
 public:
  ImageBlend(const map::SurfelTreeView& tree, ImageStrip& strip)
      : tree_(tree),
        image_(strip),
        blending_(strip.blending),
        largest_radius_(map::largestRadius(tree)),
        inverse_depth_(1.0F / blending_.depth),
        min_cosine2_(blending_.min_cosine * blending_.min_cosine) {}

  void run() {
    const bool looks = blending_.looks.values[0] != nullptr;
    forRows([&](int cell, int end) { beginRow(cell, end, looks); });
    if (looks) {
      addAll<true>();
    } else {
      addAll<false>();
    }
    forRows([&](int cell, int end) {
      for (int first = cell; first < end; first += 8) endEight(first);
      endRow(cell, end, looks);
    });
  }

 private:
  static constexpr std::uint32_t kNothing = ImageStrip::kNothing;
  static constexpr float kOffsetError = 2e-6F;  ///< relative to the distance: 32 times 2^-24

  // Arrays of the cells; a local copy, which no store can alias.
  struct Cells {
    const float* direction[3];
    float* first_n[3];
    const float* depth;
    const std::uint32_t* first;
    float *weights, *mean, *largest;
    std::uint32_t* best;
    float *colour[3], *normal[3];
  };

  template <bool looks>
  void addAll() {
    for (std::uint32_t i = 0; i < blending_.seen_count; ++i) {
      if (isPlanar(blending_.seen[i])) {
        add<true, looks>(i);
      } else {
        add<false, looks>(i);
      }
    }
  }

  static bool isPlanar(const SeenSurfel& seen) {
    return seen.n[0] != 0.0F || seen.n[1] != 0.0F || seen.n[2] != 0.0F;
  }

  // Calls act for the cells of each row, up to an end.
  template <class Act>
  void forRows(const Act& act) {
    for (int row = 0; row < image_.height; ++row) {
      act(row * image_.stride, row * image_.stride + image_.width);
    }
  }

  // Sets the normals of the nearest surfels, and sums of only these.
  void beginRow(int cell, int end, bool looks) {
    const Cells cells = this->cells();
    for (int i = cell; i < end; i += 8) {
      store8(cells.best + i, load8<Int8>(cells.first + i));
      store8(cells.weights + i, all8(0.0F));
      store8(cells.mean + i, all8(0.0F));
      store8(cells.largest + i, all8(-1.0F));
      for (int k = 0; looks && k < 3; ++k) {
        store8(cells.colour[k] + i, all8(0.0F));
        store8(cells.normal[k] + i, all8(0.0F));
      }
    }
    const SeenSurfel* const seen = blending_.seen;
    for (int i = cell; i < end; ++i) {
      if (cells.first[i] == kNothing) continue;
      const SeenSurfel& first = seen[cells.first[i]];
      cells.first_n[0][i] = first.n[0];
      cells.first_n[1][i] = first.n[1];
      cells.first_n[2][i] = first.n[2];
    }
  }

  Cells cells() const {
    const ImageLooks& looks = blending_.looks;
    return {{image_.direction[0], image_.direction[1], image_.direction[2]},
            {image_.normal[0], image_.normal[1], image_.normal[2]},
            image_.depth,
            blending_.first,
            blending_.weights,
            blending_.mean,
            blending_.largest,
            image_.surfel,
            {looks.colour[0], looks.colour[1], looks.colour[2]},
            {looks.normal[0], looks.normal[1], looks.normal[2]}};
  }

  template <bool planar, bool looks>
  void add(std::uint32_t number) {
    const SeenSurfel seen = blending_.seen[number];
    const Cells cells = this->cells();
    float colour[3] = {};
    if (looks) findColour(seen, colour);
    for (int row = seen.cells.first_row; row <= seen.cells.last_row; ++row) {
      const int begin = row * image_.stride;
      for (int column = seen.cells.first_column; column <= seen.cells.last_column; column += 8) {
        add<planar, looks>(seen, number, colour, cells, begin + column);
      }
    }
  }

  // The colour of the side that the sensor sees.
  void findColour(const SeenSurfel& seen, float* colour) const {
    const ImageLooks& looks = blending_.looks;
    const std::size_t place = seen.surfel * looks.step + (seen.nv > 0.0F ? looks.to_back : 0);
    for (int i = 0; i < 3; ++i) {
      colour[i] = looks.values[i][looks.bytes[i] == nullptr ? 0 : looks.bytes[i][place]];
    }
  }

  template <bool planar, bool looks>
  void add(const SeenSurfel& seen, std::uint32_t number, const float* colour, const Cells& cells,
           int cell) {
    Float8 d[3], v[3], n[3];
    for (int axis = 0; axis < 3; ++axis) {
      d[axis] = load8<Float8>(cells.direction[axis] + cell);
      v[axis] = all8(seen.v[axis]);
      n[axis] = all8(seen.n[axis]);
    }
    const Meeting8 meeting = planar ? meetPlane(all8(seen.nv), dot8(n, d), d, v) : meetBall(d, v);
    const Float8 depth = load8<Float8>(cells.depth + cell);
    const Float8 behind = max8(meeting.t - depth, all8(0.0F));
    const Float8 off2 = meeting.off2 * seen.inverse_radius2;
    // A cell that has met nothing is deeper than the range.
    Int8 counts = (off2 <= 1.0F) & (meeting.t > 0.0F) & (meeting.t <= image_.range_max) &
                  (depth <= image_.range_max) & (behind <= blending_.depth);
    if (signs(counts) == 0) return;
    const Int8 is_first = load8<Int8>(cells.first + cell) == static_cast<std::int32_t>(number);
    counts =
        (counts & agreeing<planar>(seen, cells, cell, counts & ~is_first, depth, d)) | is_first;
    if (signs(counts) == 0) return;

    const Float8 share = (1.0F - off2) * (1.0F - behind * inverse_depth_);
    const Float8 weight = blend8(all8(0.0F), max8(share, all8(0.0F)) + kLeastWeight, counts);
    addTo(cells.weights + cell, weight);
    addTo(cells.mean + cell, weight * behind);
    const Float8 largest = load8<Float8>(cells.largest + cell);
    const Int8 takes =
        counts & ((weight > largest) | lower(seen, cells, cell, counts & (weight == largest)));
    store8(cells.largest + cell, blend8(largest, weight, takes));
    const Int8 best = load8<Int8>(cells.best + cell);
    store8(cells.best + cell, (best & ~takes) | (takes & static_cast<std::int32_t>(number)));
    if (!looks) return;
    for (int i = 0; i < 3; ++i) addTo(cells.colour[i] + cell, weight * colour[i]);
    if (!planar) return;
    const Float8 facing = blend8(weight, -weight, dot8(n, d) > 0.0F);
    for (int i = 0; i < 3; ++i) addTo(cells.normal[i] + cell, facing * seen.n[i]);
  }

  static void addTo(float* sums, Float8 values) { store8(sums, load8<Float8>(sums) + values); }

  // The lanes asked for whose nearest surfel agrees with this one.
  template <bool planar>
  Int8 agreeing(const SeenSurfel& seen, const Cells& cells, int cell, Int8 asked, Float8 depth,
                const Float8* d) const {
    Float8 n[3];
    for (int axis = 0; axis < 3; ++axis) n[axis] = load8<Float8>(cells.first_n[axis] + cell);
    if (!planar) return asked & (dot8(n, n) <= 0.0F);
    const Float8 cosine = n[0] * seen.n[0] + n[1] * seen.n[1] + n[2] * seen.n[2];
    // The distance of the ray's point at `depth` from the first's plane.
    const Float8 offset =
        abs8(n[0] * seen.v[0] + n[1] * seen.v[1] + n[2] * seen.v[2] - depth * dot8(n, d));
    const Float8 error = (depth + (blending_.depth + largest_radius_)) * kOffsetError;
    Int8 agrees =
        asked & (cosine * cosine >= min_cosine2_) & (offset <= error + blending_.max_offset);
    unsigned doubtful = signs(agrees & (offset >= blending_.max_offset - error));
    for (; __builtin_expect(doubtful != 0, 0); doubtful &= doubtful - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(doubtful));
      const SeenSurfel& first = blending_.seen[cells.first[cell + static_cast<int>(lane)]];
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

  // The lanes asked for whose surfel of largest weight has a higher number.
  Int8 lower(const SeenSurfel& seen, const Cells& cells, int cell, Int8 asked) const {
    unsigned result = 0;
    for (unsigned left = signs(asked); __builtin_expect(left != 0, 0); left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      const std::uint32_t best = cells.best[cell + static_cast<int>(lane)];
      if (seen.surfel < blending_.seen[best].surfel) result |= 1U << lane;
    }
    return maskOf(result);
  }

  void endEight(int cell) {
    const Float8 depth = load8<Float8>(image_.depth + cell);
    const Float8 weights = load8<Float8>(blending_.weights + cell);
    const Float8 mean = load8<Float8>(blending_.mean + cell) / weights;
    store8(image_.depth + cell, depth + blend8(all8(0.0F), mean, weights > 0.0F));
    const ImageLooks& looks = blending_.looks;
    if (looks.values[0] == nullptr) return;
    Float8 n[3];
    for (int i = 0; i < 3; ++i) {
      store8(looks.colour[i] + cell, load8<Float8>(looks.colour[i] + cell) / weights);
      n[i] = load8<Float8>(looks.normal[i] + cell);
    }
    for (int i = 0; i < 3; ++i) {
      store8(looks.normal[i] + cell,
             image_.R_SW[0][i] * n[0] + image_.R_SW[1][i] * n[1] + image_.R_SW[2][i] * n[2]);
    }
  }

  void endRow(int cell, int end, bool looks) {
    const Cells cells = this->cells();
    const SeenSurfel* const seen = blending_.seen;
    for (int i = cell; i < end; ++i) {
      if (cells.best[i] == kNothing) continue;
      const SeenSurfel& best = seen[cells.best[i]];
      cells.best[i] = best.surfel;
      cells.first_n[0][i] = best.n[0];
      cells.first_n[1][i] = best.n[1];
      cells.first_n[2][i] = best.n[2];
      if (!looks || isPlanar(best)) continue;
      float colour[3];
      findColour(best, colour);
      for (int k = 0; k < 3; ++k) cells.colour[k][i] = colour[k];
    }
  }

  const map::SurfelTreeView& tree_;
  ImageStrip& image_;
  ImageBlending& blending_;
  const float largest_radius_;  // [m]
  const float inverse_depth_, min_cosine2_;
};

}  // namespace
}  // namespace marsim::lidar
