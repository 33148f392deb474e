// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for each instruction set, as cast_kernel.cpp.

#include "lidar/cast/plant_kernel.hpp"

#include "lidar/cast/vector8.hpp"

namespace marsim::lidar {
namespace {

// A ray in single precision, for boxes.
struct BoxRay {
  float origin[3], direction[3], inverse[3];
  float range_min, range;
  bool negative[3];

  void set(int axis, double from, double along) {
    origin[axis] = static_cast<float>(from);
    direction[axis] = static_cast<float>(along);
    negative[axis] = along < 0.0;
    constexpr double kLeast = 1e-20;  // so that inverses are finite
    const double away = along < 0.0 ? -along : along;
    const double size = away > kLeast ? away : kLeast;
    inverse[axis] = static_cast<float>((negative[axis] ? -1.0 : 1.0) / size);
  }
};

// Visits the leaves whose boxes the ray meets before its range, which may shrink, near to far.
template <class Leaf>
inline void walk(const PlantNode* nodes, std::uint32_t root, const BoxRay& ray, const Leaf& leaf) {
  struct Entry {
    float entry;
    std::uint32_t child;
  };
  Entry stack[(kPlantWidth - 1) * kPlantDepth + 1];
  int size = 0;
  std::uint32_t child = root;
  for (;;) {
    if ((child & kPlantLeaf) != 0) {
      leaf(child & ~kPlantLeaf);
    } else {
      const PlantNode& node = nodes[child];
      Float8 entry = all8(ray.range_min), exit = all8(ray.range);
      for (int axis = 0; axis < 3; ++axis) {
        const bool negative = ray.negative[axis];
        const Float8 near = load8<Float8>(negative ? node.upper[axis] : node.lower[axis]);
        const Float8 far = load8<Float8>(negative ? node.lower[axis] : node.upper[axis]);
        entry = max8((near - ray.origin[axis]) * ray.inverse[axis], entry);
        exit = min8((far - ray.origin[axis]) * ray.inverse[axis], exit);
      }
      // Rounding moves either by at most three parts in 2^24.
      const Float8 slack = (abs8(entry) + abs8(exit)) * 4e-7F;
      const unsigned met = notAbove(entry, exit + slack);
      if (met != 0) {
        float entries[kPlantWidth];
        store8(entries, entry);
        // Nearer ones above farther ones.
        const int base = size;
        for (unsigned left = met; left != 0; left &= left - 1) {
          const auto slot = static_cast<unsigned>(__builtin_ctz(left));
          int place = size++;
          for (; place > base && stack[place - 1].entry < entries[slot]; --place) {
            stack[place] = stack[place - 1];
          }
          stack[place] = {entries[slot], node.child[slot]};
        }
      }
    }
    do {
      if (size == 0) return;
      --size;
    } while (stack[size].entry > ray.range);
    child = stack[size].child;
  }
}

// The nearest hit on a patch, in its frame.
struct Nearest {
  const PlantBlock* block = nullptr;
  unsigned lane = 0;
  bool cap = false;  // a cylinder's end is met
};

struct PlantMeeting8 {
  Float8 range;
  Int8 met;  // lanes
  Int8 cap;
};

inline Float8 dot8(const Float8* a, const Float8* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Ranges where solids are entered or, from inside, left: the first one not before range_min.
inline Float8 firstOf(Float8 entry, Float8 exit, float range_min, Int8& inside) {
  inside = entry < range_min;
  return blend8(entry, exit, inside);
}

// Intersects the ray with the infinite cylinder between the planes of its caps. The quadratic is
// solved about the place between the caps that is nearest to the axis: there the distance to the
// axis is exact, and decides whether the ray meets.
inline PlantMeeting8 meetCylinders(const PlantBlock& block, const BoxRay& ray) {
  Float8 u[3], w[3], d[3];
  for (int axis = 0; axis < 3; ++axis) {
    u[axis] = load8<Float8>(block.axis[axis]);
    w[axis] = ray.origin[axis] - load8<Float8>(block.place[axis]);
    d[axis] = all8(ray.direction[axis]);
  }
  const Float8 d2 = dot8(d, d), along = dot8(d, u), from = dot8(w, u);
  const Float8 length = load8<Float8>(block.length), radius2 = load8<Float8>(block.radius2);
  // A ray parallel to the caps stays between them for ever.
  constexpr float kLeast = 1e-25F;
  const Float8 slope = blend8(max8(along, all8(kLeast)), min8(along, all8(-kLeast)), along < 0.0F);
  const Float8 one = (-from) / slope, other = (length - from) / slope;
  const Float8 in = min8(one, other), out = max8(one, other);
  // Across the axis.
  Float8 p[3], v[3];
  for (int axis = 0; axis < 3; ++axis) {
    v[axis] = d[axis] - along * u[axis];
    p[axis] = w[axis] - from * u[axis];
  }
  const Float8 a = max8(dot8(v, v), d2 * 1e-14F);
  const Float8 t = min8(max8((-dot8(v, p)) / a, in), out);
  for (int axis = 0; axis < 3; ++axis) p[axis] = p[axis] + t * v[axis];
  const Float8 b = dot8(v, p), inside2 = radius2 - dot8(p, p);
  const Float8 root = sqrt8(max8(b * b + a * inside2, all8(0.0F)));
  const Float8 enter = t + (-b - root) / a, leave = t + (root - b) / a;
  const Float8 entry = max8(enter, in), exit = min8(leave, out);
  PlantMeeting8 meeting;
  Int8 from_inside;
  meeting.range = firstOf(entry, exit, ray.range_min, from_inside);
  meeting.met = (inside2 >= 0.0F) & (in <= out) & (meeting.range >= ray.range_min) &
                (meeting.range < ray.range);
  meeting.cap = asInt(blend8(asFloat(in > enter), asFloat(out < leave), from_inside));
  return meeting;
}

inline PlantMeeting8 meetDiscs(const PlantBlock& block, const BoxRay& ray) {
  Float8 n[3], w[3], d[3];
  for (int axis = 0; axis < 3; ++axis) {
    n[axis] = load8<Float8>(block.axis[axis]);
    w[axis] = load8<Float8>(block.place[axis]) - ray.origin[axis];
    d[axis] = all8(ray.direction[axis]);
  }
  PlantMeeting8 meeting;
  meeting.range = dot8(w, n) / dot8(d, n);  // infinite or NaN for a parallel ray
  Float8 off[3];
  for (int axis = 0; axis < 3; ++axis) off[axis] = w[axis] - meeting.range * d[axis];
  meeting.met = (dot8(off, off) <= load8<Float8>(block.radius2)) &
                (meeting.range >= ray.range_min) & (meeting.range < ray.range);
  meeting.cap = meeting.met;
  return meeting;
}

inline void meetBlock(const PlantBlock& block, BoxRay& ray, Nearest& nearest) {
  const PlantMeeting8 meeting = block.discs ? meetDiscs(block, ray) : meetCylinders(block, ray);
  const unsigned met = signs(meeting.met);
  if (met == 0) return;
  const Float8 ranges = blend8(all8(__builtin_inff()), meeting.range, meeting.met);
  const float range = least(ranges);
  nearest.block = &block;
  nearest.lane = static_cast<unsigned>(__builtin_ctz(notAbove(ranges, all8(range)) & met));
  nearest.cap = (signs(meeting.cap) >> nearest.lane & 1U) != 0;
  ray.range = range;
}

class PlantWalk {
 public:
  PlantWalk(const PlantTreeView& tree, const PlantRay& ray, PlantHit& hit)
      : tree_(tree), ray_(ray), hit_(hit) {}

  bool run() {
    for (int axis = 0; axis < 3; ++axis) boxes_.set(axis, ray_.origin[axis], ray_.direction[axis]);
    boxes_.range_min = ray_.range_min;
    boxes_.range = ray_.range;
    hit_.range = ray_.range;
    walk(tree_.nodes, tree_.root, boxes_, [this](std::uint32_t pose) { meet(pose); });
    return is_met_;
  }

 private:
  // Tangents of an instance's lean at the ray's time.
  void leanOf(const PlantPose& pose, float* lean) const {
    const double phase = tree_.phase + tree_.per_second * static_cast<double>(ray_.time) -
                         tree_.per_metre[0] * static_cast<double>(pose.foot[0]) -
                         tree_.per_metre[1] * static_cast<double>(pose.foot[1]);
    const double wave = __builtin_fabs(2.0 * (phase - __builtin_floor(phase)) - 1.0);
    const double share = wave * wave * (3.0 - 2.0 * wave);
    for (int i = 0; i < 2; ++i) lean[i] = static_cast<float>(share) * tree_.lean[i];
  }

  // Transforms a difference of two places into M, the inverse of scene::Vegetation::placed.
  static void intoPatch(const PlantPose& pose, const float* lean, double* v) {
    const double z = v[2] - static_cast<double>(pose.slope[0]) * v[0] -
                     static_cast<double>(pose.slope[1]) * v[1];
    const double x = v[0] - static_cast<double>(lean[0]) * z;
    const double y = v[1] - static_cast<double>(lean[1]) * z;
    const auto cosine = static_cast<double>(pose.cosine), sine = static_cast<double>(pose.sine);
    v[0] = (cosine * x + sine * y) * static_cast<double>(pose.inverse_width);
    v[1] = (cosine * y - sine * x) * static_cast<double>(pose.inverse_width);
    v[2] = z * static_cast<double>(pose.inverse_height);
  }

  void meet(std::uint32_t number) {
    const PlantPose& pose = tree_.poses[number];
    const PlantPatch& patch = tree_.patches[pose.patch];
    float lean[2] = {0.0F, 0.0F};
    if (tree_.sways) leanOf(pose, lean);
    double origin[3], direction[3];
    for (int axis = 0; axis < 3; ++axis) {
      origin[axis] = ray_.origin[axis] - static_cast<double>(pose.foot[axis]);
      direction[axis] = ray_.direction[axis];
    }
    intoPatch(pose, lean, origin);
    intoPatch(pose, lean, direction);
    // The ray begins at its place nearest to the patch, where single precision is accurate enough.
    double toward = 0.0, length2 = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      toward += (static_cast<double>(patch.centre[axis]) - origin[axis]) * direction[axis];
      length2 += direction[axis] * direction[axis];
    }
    const double begin = toward / length2;
    BoxRay ray;
    for (int axis = 0; axis < 3; ++axis) {
      ray.set(axis, origin[axis] + begin * direction[axis], direction[axis]);
    }
    ray.range_min = static_cast<float>(static_cast<double>(boxes_.range_min) - begin);
    ray.range = static_cast<float>(static_cast<double>(boxes_.range) - begin);
    Nearest nearest;
    walk(tree_.nodes, patch.root, ray,
         [&](std::uint32_t block) { meetBlock(tree_.blocks[block], ray, nearest); });
    if (nearest.block == nullptr) return;
    const auto range = static_cast<float>(begin + static_cast<double>(ray.range));
    if (!(range < boxes_.range)) return;
    boxes_.range = range;
    is_met_ = true;
    hit_.range = range;
    hit_.pose = number;
    hit_.primitive = nearest.block->primitive[nearest.lane];
    setNormal(pose, lean, ray, nearest);
  }

  // Transforms by the transpose of intoPatch and turns it towards the ray's origin.
  void setNormal(const PlantPose& pose, const float* lean, const BoxRay& ray,
                 const Nearest& nearest) {
    const PlantBlock& block = *nearest.block;
    float u[3], w[3], n[3], along = 0.0F;
    for (int axis = 0; axis < 3; ++axis) {
      u[axis] = block.axis[axis][nearest.lane];
      w[axis] =
          ray.origin[axis] + ray.range * ray.direction[axis] - block.place[axis][nearest.lane];
      along += u[axis] * w[axis];
    }
    for (int axis = 0; axis < 3; ++axis)
      n[axis] = nearest.cap ? u[axis] : w[axis] - along * u[axis];
    n[0] *= pose.inverse_width;
    n[1] *= pose.inverse_width;
    n[2] *= pose.inverse_height;
    const float x = pose.cosine * n[0] - pose.sine * n[1];
    const float y = pose.sine * n[0] + pose.cosine * n[1];
    n[2] -= lean[0] * x + lean[1] * y;
    n[0] = x - pose.slope[0] * n[2];
    n[1] = y - pose.slope[1] * n[2];
    double length2 = 0.0, slope = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      length2 += static_cast<double>(n[axis]) * static_cast<double>(n[axis]);
      slope += static_cast<double>(n[axis]) * ray_.direction[axis];
    }
    const double scale = (slope > 0.0 ? -1.0 : 1.0) / __builtin_sqrt(length2);
    for (int axis = 0; axis < 3; ++axis) {
      hit_.normal[axis] = static_cast<float>(scale * static_cast<double>(n[axis]));
    }
  }

  const PlantTreeView& tree_;
  const PlantRay& ray_;
  PlantHit& hit_;
  BoxRay boxes_;
  bool is_met_ = false;
};

}  // namespace

namespace MARSIM_SIMD_LEVEL {

bool castAtPlants(const PlantTreeView& tree, const PlantRay& ray, PlantHit& hit) {
  return PlantWalk(tree, ray, hit).run();
}

}  // namespace MARSIM_SIMD_LEVEL
}  // namespace marsim::lidar
