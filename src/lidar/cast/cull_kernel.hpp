// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "lidar/cast/simd_kernel.hpp"

/// Tests which rays may meet which moving objects, many at a time, compiled for several instruction
/// sets. Plain declarations only, as in cast_kernel.hpp. No test rejects a ray that meets; [m],
/// [s], in W relative to one origin for all.
namespace marsim::lidar {

constexpr int kBundleSize = 32;      ///< rays that are tested together
constexpr int kClusterBundles = 32;  ///< bundles that are tested together
constexpr int kClusterSize = kBundleSize * kClusterBundles;

/// Rays as they lie in memory: of each ray eight floats (origin, range_max, direction, time) and a
/// float (the range of its hit), `stride` bytes apart.
struct RayFields {
  const char* rays;
  const char* ranges;
  std::size_t ray_stride, range_stride;
};

/// Bounds of rays.
struct RayBounds {
  float low[8], high[8];  ///< of origin, range_max, direction, time
};

/// Up to a thousand rays that follow one another in the order of their directions, field by field.
struct alignas(64) ClusterRays {
  // Not 4 KiB apart: such places compete for a few lines of the cache.
  static constexpr int kPlaces = kClusterSize + 16;
  float origin[3][kPlaces];
  float direction[3][kPlaces];
  float time[kPlaces];
  float reach[kPlaces];  ///< up to the hit; negative without a ray
};

/// The cluster's bundles: directions within an angle of `axis`. A cosine of 0 or less: any.
struct alignas(64) ClusterCones {
  float axis[3][kClusterBundles];
  float cosine[kClusterBundles], sine[kClusterBundles];
  float reach[kClusterBundles];
};

struct RayCone {
  float axis[3];
  float cosine, sine;
  float reach;
};

/// Bounding spheres of objects, enlarged to hold for every ray's origin.
struct BallFields {
  const float* centre[3];
  const float* radius;  ///< including the spread of the origins
};

/// A box that moves straight without turning: its frame B is at its centre.
struct MovingBox {
  float centre[3];   ///< at the time `middle`
  float speed[3];    ///< [m/s]
  float R_BW[3][3];  ///< rows
  float half[3];     ///< half the sides
  float middle;
};

struct CullKernels {
  /// Bounds of the rays index[0] to index[count - 1]; without an index of the first `count`.
  void (*bounds)(const RayFields& fields, const std::uint32_t* index, std::size_t count,
                 RayBounds& bounds);
  /// Gathers the rays index[0] to index[count - 1], origins relative to `origin`; the last bundle
  /// is filled up. 0 < count <= kClusterSize. Returns the number of bundles.
  int (*gather)(const RayFields& fields, const std::uint32_t* index, int count, const float* origin,
                ClusterRays& rays);
  /// The cones of the bundles, padded to a multiple of eight; and one for all.
  void (*cones)(const ClusterRays& rays, int bundles, ClusterCones& cones, RayCone& whole);
  /// Bit i % 32 of meets[i / 32]: whether a ray of the cone may meet ball i. Balls are read up to a
  /// multiple of 32.
  void (*meetBalls)(const RayCone& cone, const BallFields& balls, std::size_t count,
                    std::uint32_t* meets);
  /// Bit b: whether a ray of the bundle b may meet ball `ball`.
  std::uint32_t (*meetCones)(const ClusterCones& cones, int bundles, const BallFields& balls,
                             std::size_t ball);
  /// Bit i: whether ray i of the bundle may meet the box.
  std::uint32_t (*meetBox)(const ClusterRays& rays, int bundle, const MovingBox& box);
};

MARSIM_KERNEL(extern const CullKernels kCullKernels)

}  // namespace marsim::lidar
