// SPDX-License-Identifier: BSD-3-Clause
// Where a ray meets a surfel, for shaders: ray_meets_surfel.hpp says what and why. lidar_gl puts
// this text before its shaders, and before it the constants kRounding, kSureSlack and kNormalLength
// (about that of n) from there.

const float kFarthest = 3.0e38;

struct Meeting {
  float t;      // [m]
  float off2;   // [m^2] squared distance of the point there from the surfel's position
  float slack;  // [m] bound of the errors of both
};

Meeting meetSurfel(vec3 v, vec3 n, bool planar, vec3 d, float radius) {
  vec3 m = planar ? n : d * kNormalLength;
  float slope = dot(m, d);
  // A ray in the plane: some finite number, and a slack that sends it to double precision.
  if (abs(slope) < 1e-20) slope = 1e-20;
  Meeting meeting;
  meeting.t = dot(m, v) / slope;
  vec3 off = meeting.t * d - v;
  meeting.off2 = dot(off, off);
  meeting.slack = (abs(meeting.t) + radius) / abs(slope) * (kRounding * kNormalLength);
  return meeting;
}

// Whether it is met, but for rounding. `cut` [m]: what is farther does not matter.
bool maybeMet(Meeting meeting, float radius, float range_min, float cut) {
  float slack = meeting.slack, outer = radius + slack;
  if (meeting.off2 <= outer * outer && meeting.t <= cut + slack &&
      meeting.t >= range_min - slack) {
    return true;
  }
  // Numbers too large for single precision: seen edge-on.
  return !(slack < kFarthest && meeting.off2 < kFarthest);
}

// Whether rounding leaves no doubt.
bool surelyMet(Meeting meeting, float radius, float range_min, float range_max) {
  float slack = meeting.slack, inner = radius - slack;
  return meeting.off2 <= inner * inner && slack <= min(0.25 * radius, kSureSlack) &&
         meeting.t > range_min + slack && meeting.t <= range_max - slack;
}

// Sets the meeting's range and distance, in double precision; false where the surfel is not met
// within the ray's limits.
bool meetExactly(dvec3 v, dvec3 n, bool planar, dvec3 d, double radius, float range_min,
                 float range_max, inout Meeting meeting) {
  double range = dot(d, v);
  if (planar) {
    double slope = dot(n, d);
    if (slope == 0.0lf) return false;
    range = dot(n, v) / slope;
  }
  dvec3 off = range * d - v;
  double off2 = dot(off, off);
  meeting.t = float(range);
  meeting.off2 = float(off2);
  return off2 <= radius * radius && range > 0.0lf && range >= double(range_min) &&
         range <= double(range_max);
}
