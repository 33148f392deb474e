// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>

#include "marsim/lidar/scan.hpp"

namespace marsim::layouts {

/// One return of a shot, or a shot without any.
struct ScanShot {
  Eigen::Vector3f p_S;  ///< [m]; for a miss as in the encoding
  float range;          ///< [m]; no return: +inf, too near: -inf (REP-117)
  float intensity;      ///< 0 to 255; for a miss 0
  float time;           ///< [s] since the scan's stamp
  std::uint32_t shot;
  std::uint32_t column;
  std::uint16_t ring;
  std::uint8_t line;
  std::uint32_t label;          ///< identity of the hit object; for a miss the map's
  std::uint8_t semantic_class;  ///< class of the hit surface; for a miss 0
  std::uint8_t return_number;   ///< among the shot's returns, 1: the nearest; for a miss 0
  std::uint8_t return_count;    ///< returns of the shot
  std::uint8_t energy_rank;     ///< among the shot's returns, 0: the strongest

  bool isReturn() const { return range < std::numeric_limits<float>::infinity() && range > 0.0F; }
};

inline ScanShot toShot(const lidar::ScanPoint& point) {
  return {point.p_S,        point.range,          point.intensity,     point.time,
          point.shot,       point.column,         point.ring,          point.line,
          point.identity,   point.semantic_class, point.return_number, point.return_count,
          point.energy_rank};
}

inline ScanShot toShot(const lidar::ScanMiss& miss, const Eigen::Vector3f& p_S) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return {p_S,
          miss.too_near ? -kInfinity : kInfinity,
          0.0F,
          miss.time,
          miss.shot,
          miss.column,
          miss.ring,
          miss.line,
          scene::kMapIdentity,
          0,
          0,
          0,
          0};
}

/// Position that is written for a miss.
inline Eigen::Vector3f missPosition(lidar::MissEncoding encoding) {
  return Eigen::Vector3f::Constant(
      encoding == lidar::MissEncoding::kNan ? std::numeric_limits<float>::quiet_NaN() : 0.0F);
}

inline std::size_t countShots(const lidar::Scan& scan, lidar::MissEncoding encoding) {
  const bool keeps = encoding != lidar::MissEncoding::kDrop;
  return scan.points.size() + (keeps ? scan.misses.size() : 0);
}

/// Calls visit(const ScanShot&) for every return, and for every miss unless misses are dropped, in
/// firing order.
template <class Visit>
void forEachShot(const lidar::Scan& scan, lidar::MissEncoding encoding, Visit visit) {
  const Eigen::Vector3f p_miss = missPosition(encoding);
  std::size_t next_miss =
      encoding == lidar::MissEncoding::kDrop ? scan.misses.size() : std::size_t{0};
  for (const lidar::ScanPoint& point : scan.points) {
    while (next_miss < scan.misses.size() && scan.misses[next_miss].shot < point.shot) {
      visit(toShot(scan.misses[next_miss++], p_miss));
    }
    visit(toShot(point));
  }
  while (next_miss < scan.misses.size()) visit(toShot(scan.misses[next_miss++], p_miss));
}

}  // namespace marsim::layouts
