// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lidar/cast/vector8.hpp"

/// Where a ray meets a surfel, as map::SurfelMap defines it: in double precision, in single
/// precision for eight lanes at once, and for shaders in ray_meets_surfel.glsl.
///
/// The ray's points are o + t d (d unit, t the range), the surfel lies at p with the normal n, of
/// any length; v = p - o.
/// - Planar: the ray crosses the plane through p where n.(o + t d - p) = 0, at t = (n.v) / (n.d).
/// - Not planar: it is nearest to p at t = d.v. That is where it crosses the plane through p that
///   lies across it, n = d.
/// It meets the surfel if the point there lies within R of p, |t d - v| <= R, and t > 0 lies within
/// the ray's limits. (Kong et al., "MARSIM", RA-L 2023, eq. 1 and section IV-A: for surfels that
/// are not planar its angle asin(R / |v|) is the same condition.)
///
/// In single precision both t and the distance from p are off by at most
/// (|t| + R) / |n.d| * kRounding for a unit n. Where that leaves doubt, double precision decides.
namespace marsim::lidar {
namespace {

/// Bound of rounding errors relative to the surfel's distance: a dozen times 2^-24.
constexpr float kRounding = 8e-7F;
constexpr float kSureSlack = 1e-4F;  ///< [m] larger errors are left to double precision

constexpr float sureSlack(float radius) {
  return 0.25F * radius < kSureSlack ? 0.25F * radius : kSureSlack;
}

// ---- in double precision

struct ExactMeeting {
  double range, off2;  ///< [m]; [m^2] of the point there from p
  bool met;
};

inline ExactMeeting meetExactly(const double* v, const double* n, bool planar, const double* d,
                                double radius, double range_min, double range_max) {
  const double* m = planar ? n : d;
  const double slope = m[0] * d[0] + m[1] * d[1] + m[2] * d[2];
  double range = m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
  if (planar) range /= slope;
  double off2 = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    const double off = range * d[axis] - v[axis];
    off2 += off * off;
  }
  return {range, off2,
          off2 <= radius * radius && range > 0.0 && range >= range_min && range <= range_max};
}

// ---- eight lanes

/// Eight surfels and a ray, or a surfel and eight rays.
struct Meeting8 {
  Float8 t, off2;  // [m]; [m^2] of the point there from p
};

template <class A, class B>
Float8 dot8(const A* a, const B* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// At a given range.
template <class Direction>
Meeting8 meetingAt(Float8 t, const Direction* d, const Float8* v) {
  const Float8 x = t * d[0] - v[0], y = t * d[1] - v[1], z = t * d[2] - v[2];
  return {t, x * x + y * y + z * z};
}

/// nv = n.v, slope = n.d.
template <class Direction>
Meeting8 meetPlane(Float8 nv, Float8 slope, const Direction* d, const Float8* v) {
  return meetingAt(nv / slope, d, v);
}

template <class Direction>
Meeting8 meetBall(const Direction* d, const Float8* v) {
  return meetingAt(dot8(v, d), d, v);
}

/// Result of the test for eight lanes.
struct Verdict8 {
  Int8 maybe;  // met or nearly so, within rounding
  Int8 sure;   // certain in spite of rounding
};

/// For surfels whose normals are about `scale` long. `sure_slack`: sureSlack(radius). `cut` [m]:
/// farther hits are ignored. Limits: floats, or eights of them.
template <class Limit>
Verdict8 judge(const Meeting8& meeting, Float8 slope, float scale, float radius, float sure_slack,
               Limit range_min, Limit range_max, Limit cut) {
  const Float8 t = meeting.t;
  const Float8 slack = (abs8(t) + radius) * abs8(roughInverse(slope)) * (kRounding * scale);
  const Float8 outer = radius + slack, inner = radius - slack;
  return {(meeting.off2 <= outer * outer) & (t <= cut + slack) & (t >= range_min - slack),
          (meeting.off2 <= inner * inner) & (slack <= sure_slack) & (t > range_min + slack) &
              (t <= range_max - slack)};
}

}  // namespace
}  // namespace marsim::lidar
