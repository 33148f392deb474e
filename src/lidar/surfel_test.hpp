#pragma once

#include <limits>

#include <Eigen/Core>

#include "simd.hpp"

/// Where rays meet surfels: a quick test of four pairs in single precision that never loses a hit,
/// and the exact one, in double precision, for the few pairs it lets through.
namespace marsim::lidar {

/// Bound of the quick test's rounding errors relative to the distance of the surfel: a dozen
/// roundings of 2^-24 each.
constexpr float kRoundingBound = 2e-6F;

/// Pairs that may meet within `limit` [m], as bits. v = p - o [m], n: normals, d: directions, all
/// in one frame; `planar` lanes are negative where the surfel is planar; `radius` [m] is R plus the
/// uncertainty of v beyond its rounding.
inline int mayMeet(const Vector4& v, const Vector4& n, Int4 planar, const Vector4& d, float radius,
                   Float4 limit) {
  const Float4 along = dot(v, d);
  const Vector4 off{v.x - along * d.x, v.y - along * d.y, v.z - along * d.z};
  const Float4 slack = kRoundingBound * (abs4(along) + radius);
  const Float4 reach = radius * 1.00001F + slack;
  // Of the ball about p, half the chord that the ray cuts: a disc is met inside it.
  const Float4 chord2 = square(reach) - dot(off, off);
  const Int4 in_ball = (chord2 >= 0.0F) & (along + reach >= 0.0F) & (along - reach <= limit);
  if (bitsOf(in_ball) == 0) return 0;

  // The plane is crossed at t = across/slope; |t - along| <= half the chord, without the division.
  const Float4 across = dot(n, v), slope = dot(n, d);
  const Float4 excess = across - along * slope;
  const Int4 on_disc =
      square(excess) <= chord2 * square(slope) + slack * (2.0F * reach * abs4(slope) + slack);
  const Int4 steep = square(slope) > 1e-4F;
  const Float4 crossing = steep ? across / slope - 100.0F * slack : along - reach;
  const Int4 is_planar = planar < 0;
  const Float4 nearest = is_planar ? crossing : along - slack;
  return bitsOf(in_ball & (on_disc | ~is_planar) & (nearest <= limit));
}

/// Range [m] at which a ray meets a surfel, infinity or NaN where it does not; may be negative.
/// v = p - o, n: normal, d: unit direction.
inline double rangeOf(const Eigen::Vector3d& v, const Eigen::Vector3d& n, bool planar,
                      const Eigen::Vector3d& d, double squared_radius) {
  const double range = planar ? n.dot(v) / n.dot(d) : v.dot(d);
  return (range * d - v).squaredNorm() <= squared_radius ? range
                                                         : std::numeric_limits<double>::infinity();
}

}  // namespace marsim::lidar
