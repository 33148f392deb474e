// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for each instruction set, with MARSIM_SIMD_LEVEL its namespace. Must not include
// anything that defines inline functions or templates with external linkage.

#include "lidar/cast/cull_kernel.hpp"

#include "lidar/cast/vector8.hpp"

namespace marsim::lidar::MARSIM_SIMD_LEVEL {
namespace {

Float8 rayOf(const RayFields& fields, std::size_t index) {
  return load8<Float8>(fields.rays + index * fields.ray_stride);
}

void boundsOf(const RayFields& fields, const std::uint32_t* index, std::size_t count,
              RayBounds& bounds) {
  // Two at a time, since a minimum waits for the one before.
  Float8 low = all8(__builtin_inff()), high = -low, other_low = low, other_high = high;
  for (std::size_t i = 0; i < count; i += 2) {
    const std::size_t next = i + 1 < count ? i + 1 : i;
    const Float8 ray = rayOf(fields, index != nullptr ? index[i] : i);
    const Float8 other = rayOf(fields, index != nullptr ? index[next] : next);
    low = min8(ray, low);
    high = max8(ray, high);
    other_low = min8(other, other_low);
    other_high = max8(other, other_high);
  }
  store8(bounds.low, min8(low, other_low));
  store8(bounds.high, max8(high, other_high));
}

int gather(const RayFields& fields, const std::uint32_t* index, int count, const float* origin,
           ClusterRays& rays) {
  constexpr int kAhead = 16;
  const int bundles = (count + kBundleSize - 1) / kBundleSize;
  const int last = count - 1;
  for (int i = 0; i < bundles * kBundleSize; ++i) {
    const std::size_t ahead = index[i + kAhead < last ? i + kAhead : last];
    __builtin_prefetch(fields.rays + ahead * fields.ray_stride);
    __builtin_prefetch(fields.ranges + ahead * fields.range_stride);
    const std::size_t at = index[i < last ? i : last];
    float ray[8], range;
    __builtin_memcpy(ray, fields.rays + at * fields.ray_stride, sizeof(ray));
    __builtin_memcpy(&range, fields.ranges + at * fields.range_stride, sizeof(range));
    for (int axis = 0; axis < 3; ++axis) {
      rays.origin[axis][i] = ray[axis] - origin[axis];
      rays.direction[axis][i] = ray[4 + axis];
    }
    rays.time[i] = ray[7];
    const float reach = range < ray[3] ? range : ray[3];
    rays.reach[i] = i <= last ? reach : -1.0F;
  }
  return bundles;
}

// An angle given by its cosine. A thousandth of a radian is added, for single precision near 1.
// Beyond 84 degrees: any direction.
struct Angle {
  Float8 cosine, sine;

  explicit Angle(Float8 exact) {
    constexpr float kCosine = 0.9999995F, kSine = 0.0009999998F;
    const Float8 c = min8(exact, all8(1.0F));
    const Float8 s = sqrt8(max8(1.0F - c * c, all8(0.0F)));
    const Int8 narrow = c > 0.1F;
    cosine = blend8(all8(-1.0F), c * kCosine - s * kSine, narrow);
    sine = blend8(all8(1.0F), s * kCosine + c * kSine, narrow);
  }
};

// Normalises each sum; (1, 0, 0) and false where a sum is nearly zero.
Int8 normalise(Float8* sum) {
  const Float8 length = sqrt8(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
  const Int8 some = length > 1e-3F;
  const Float8 inverse = 1.0F / max8(length, all8(1e-3F));
  for (int axis = 0; axis < 3; ++axis) {
    sum[axis] = blend8(all8(axis == 0 ? 1.0F : 0.0F), sum[axis] * inverse, some);
  }
  return some;
}

// The sum of a bundle's directions, and the reach of its rays.
void sumBundle(const ClusterRays& rays, int bundle, ClusterCones& cones) {
  const int first = bundle * kBundleSize;
  for (int axis = 0; axis < 3; ++axis) {
    const float* const d = rays.direction[axis] + first;
    cones.axis[axis][bundle] = sum((load8<Float8>(d) + load8<Float8>(d + 8)) +
                                   (load8<Float8>(d + 16) + load8<Float8>(d + 24)));
  }
  const float* const reach = rays.reach + first;
  cones.reach[bundle] = most(max8(max8(load8<Float8>(reach), load8<Float8>(reach + 8)),
                                  max8(load8<Float8>(reach + 16), load8<Float8>(reach + 24))));
}

// The least cosine between a bundle's axis and its rays.
float leastCosine(const ClusterRays& rays, int bundle, const ClusterCones& cones) {
  const float x = cones.axis[0][bundle], y = cones.axis[1][bundle], z = cones.axis[2][bundle];
  const int first = bundle * kBundleSize;
  Float8 low = all8(1.0F);
  for (int i = first; i < first + kBundleSize; i += 8) {
    low = min8(load8<Float8>(rays.direction[0] + i) * x + load8<Float8>(rays.direction[1] + i) * y +
                   load8<Float8>(rays.direction[2] + i) * z,
               low);
  }
  return least(low);
}

// One cone about all bundles, which are a multiple of eight.
RayCone wholeOf(const ClusterCones& cones, int bundles) {
  Float8 sums[3], reach = all8(-1.0F);
  for (int axis = 0; axis < 3; ++axis) sums[axis] = all8(0.0F);
  for (int b = 0; b < bundles; b += 8) {
    for (int axis = 0; axis < 3; ++axis) {
      sums[axis] = sums[axis] + load8<Float8>(cones.axis[axis] + b);
    }
    reach = max8(load8<Float8>(cones.reach + b), reach);
  }
  Float8 axes[3];
  for (int axis = 0; axis < 3; ++axis) axes[axis] = all8(sum(sums[axis]));
  const Int8 some = normalise(axes);
  Float8 low = blend8(all8(-1.0F), all8(1.0F), some);
  for (int b = 0; b < bundles; b += 8) {
    // From the sum of the angle to the bundle's axis and the bundle's own angle.
    const Float8 own = load8<Float8>(cones.cosine + b);
    Float8 cosine = all8(0.0F);
    for (int axis = 0; axis < 3; ++axis) {
      cosine = cosine + axes[axis] * load8<Float8>(cones.axis[axis] + b);
    }
    cosine = min8(cosine, all8(1.0F));
    const Float8 sine = sqrt8(max8(1.0F - cosine * cosine, all8(0.0F)));
    const Float8 both = cosine * own - sine * load8<Float8>(cones.sine + b);
    low = min8(blend8(all8(-1.0F), both, (cosine > 0.0F) & (own > 0.0F)), low);
  }
  const Angle angle(all8(least(low)));
  return {{laneOf(axes[0], 0), laneOf(axes[1], 0), laneOf(axes[2], 0)},
          laneOf(angle.cosine, 0),
          laneOf(angle.sine, 0),
          most(reach)};
}

void conesOf(const ClusterRays& rays, int bundles, ClusterCones& cones, RayCone& whole) {
  const int filled = (bundles + 7) & ~7;
  for (int b = 0; b < bundles; ++b) sumBundle(rays, b, cones);
  for (int b = bundles; b < filled; ++b) {
    for (int axis = 0; axis < 3; ++axis) cones.axis[axis][b] = cones.axis[axis][bundles - 1];
    cones.reach[b] = cones.reach[bundles - 1];
  }
  std::uint32_t some = 0;
  for (int b = 0; b < filled; b += 8) {
    Float8 axes[3];
    for (int axis = 0; axis < 3; ++axis) axes[axis] = load8<Float8>(cones.axis[axis] + b);
    some |= signs(normalise(axes)) << b;
    for (int axis = 0; axis < 3; ++axis) store8(cones.axis[axis] + b, axes[axis]);
  }
  for (int b = 0; b < filled; ++b) {
    const bool has_axis = (some >> b & 1U) != 0;
    cones.cosine[b] = has_axis ? leastCosine(rays, b < bundles ? b : bundles - 1, cones) : -1.0F;
  }
  for (int b = 0; b < filled; b += 8) {
    const Angle angle(load8<Float8>(cones.cosine + b));
    store8(cones.cosine + b, angle.cosine);
    store8(cones.sine + b, angle.sine);
  }
  whole = wholeOf(cones, filled);
}

// Eight cones, or one cone and eight balls.
struct Cone8 {
  Float8 axis[3], cosine, sine, reach;
};
struct Ball8 {
  Float8 centre[3], radius;
};

unsigned meet(const Cone8& cone, const Ball8& ball) {
  const Float8 x = ball.centre[0], y = ball.centre[1], z = ball.centre[2];
  const Float8 squared = x * x + y * y + z * z;
  const Float8 most = cone.reach + ball.radius;
  const Float8 along = x * cone.axis[0] + y * cone.axis[1] + z * cone.axis[2];
  const Float8 across2 = max8(squared - along * along, all8(0.0F));
  // Distance from the cone's side: across * cosine - along * sine.
  const Float8 side = ball.radius + along * cone.sine + sqrt8(squared) * 1e-5F;
  const Int8 inside =
      (side >= 0.0F) & (across2 * cone.cosine * cone.cosine <= side * side + squared * 1e-5F);
  return signs((squared <= most * most * 1.00001F) & (inside | (cone.cosine <= 0.0F)));
}

void meetBalls(const RayCone& cone, const BallFields& balls, std::size_t count,
               std::uint32_t* meets) {
  const Cone8 eight{{all8(cone.axis[0]), all8(cone.axis[1]), all8(cone.axis[2])},
                    all8(cone.cosine),
                    all8(cone.sine),
                    all8(cone.reach)};
  for (std::size_t first = 0; first < count; first += 32) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 32; k += 8) {
      const std::size_t i = first + k;
      const Ball8 ball{{load8<Float8>(balls.centre[0] + i), load8<Float8>(balls.centre[1] + i),
                        load8<Float8>(balls.centre[2] + i)},
                       load8<Float8>(balls.radius + i)};
      word |= meet(eight, ball) << k;
    }
    if (count - first < 32) word &= (1U << (count - first)) - 1U;
    meets[first / 32] = word;
  }
}

std::uint32_t meetCones(const ClusterCones& cones, int bundles, const BallFields& balls,
                        std::size_t ball) {
  const Ball8 eight{
      {all8(balls.centre[0][ball]), all8(balls.centre[1][ball]), all8(balls.centre[2][ball])},
      all8(balls.radius[ball])};
  std::uint32_t meets = 0;
  for (int b = 0; b < bundles; b += 8) {
    const Cone8 cone{{load8<Float8>(cones.axis[0] + b), load8<Float8>(cones.axis[1] + b),
                      load8<Float8>(cones.axis[2] + b)},
                     load8<Float8>(cones.cosine + b),
                     load8<Float8>(cones.sine + b),
                     load8<Float8>(cones.reach + b)};
    meets |= meet(cone, eight) << b;
  }
  return bundles < 32 ? meets & ((1U << bundles) - 1U) : meets;
}

// A line misses a box if they are apart along an axis across the line and one of the sides.
unsigned meetBox8(const ClusterRays& rays, int i, const MovingBox& box) {
  const Float8 t = load8<Float8>(rays.time + i) - box.middle;
  const Float8 x = t * box.speed[0] + box.centre[0] - load8<Float8>(rays.origin[0] + i);
  const Float8 y = t * box.speed[1] + box.centre[1] - load8<Float8>(rays.origin[1] + i);
  const Float8 z = t * box.speed[2] + box.centre[2] - load8<Float8>(rays.origin[2] + i);
  const Float8 dx = load8<Float8>(rays.direction[0] + i);
  const Float8 dy = load8<Float8>(rays.direction[1] + i);
  const Float8 dz = load8<Float8>(rays.direction[2] + i);
  // In B: to the box's centre, the direction and its absolute values.
  Float8 p[3], d[3], a[3];
  for (int row = 0; row < 3; ++row) {
    const float* const R = box.R_BW[row];
    p[row] = x * R[0] + y * R[1] + z * R[2];
    d[row] = dx * R[0] + dy * R[1] + dz * R[2];
    a[row] = abs8(d[row]);
  }
  const float h0 = box.half[0], h1 = box.half[1], h2 = box.half[2];
  const Float8 along = p[0] * d[0] + p[1] * d[1] + p[2] * d[2];
  const Float8 depth = a[0] * h0 + a[1] * h1 + a[2] * h2;
  const Float8 reach = load8<Float8>(rays.reach + i);
  return signs((along + depth >= 0.0F) & (along - depth <= reach) & (reach > 0.0F) &
               (abs8(p[1] * d[2] - p[2] * d[1]) <= a[2] * h1 + a[1] * h2) &
               (abs8(p[2] * d[0] - p[0] * d[2]) <= a[0] * h2 + a[2] * h0) &
               (abs8(p[0] * d[1] - p[1] * d[0]) <= a[1] * h0 + a[0] * h1));
}

std::uint32_t meetBox(const ClusterRays& rays, int bundle, const MovingBox& box) {
  const int first = bundle * kBundleSize;
  std::uint32_t meets = 0;
  for (int k = 0; k < kBundleSize; k += 8) {
    meets |= meetBox8(rays, first + k, box) << k;
  }
  return meets;
}

}  // namespace

const CullKernels kCullKernels = {boundsOf, gather, conesOf, meetBalls, meetCones, meetBox};

}  // namespace marsim::lidar::MARSIM_SIMD_LEVEL
