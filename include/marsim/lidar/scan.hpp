// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/time.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/map/semantic_class.hpp"

namespace marsim::lidar {

/// One return.
struct ScanPoint {
  Eigen::Vector3f p_S;  ///< [m] in the sensor frame at this point's own firing time, as measured
  Eigen::Vector3f p_W;  ///< [m] p_S from the true pose at that time, in W
  float range;          ///< [m] along the beam, as measured
  float intensity;      ///< 0 to 255, in the convention of the sensor's driver
  float reflectivity;   ///< 0 to 1 and more for retro-reflectors: of the surface along the beam
  float time;           ///< [s] since the scan's stamp
  std::uint32_t surfel = kNoSurfel;       ///< index into the map or the object; kNoSurfel: a false
                                          ///< return or, with class outlier, particles in the air
  std::uint32_t identity = kMapIdentity;  ///< of the moving object that was hit
  std::uint32_t shot;                     ///< number of the shot in the scan, in firing order
  std::uint32_t column;                   ///< of the firing, since the scan's first
  std::uint16_t ring;                     ///< see Firing::ring
  std::uint16_t instance = 0;             ///< of the map's thing that was hit; 0: none
  std::uint8_t line;                      ///< see Firing::line
  std::uint8_t semantic_class = 0;        ///< of the surface, see map::semantic; 0: none
  std::uint8_t return_number = 1;         ///< of the shot's returns, 1: the nearest
  std::uint8_t return_count = 1;          ///< returns of the shot
  std::uint8_t energy_rank = 0;           ///< among the shot's returns, 0: the strongest
};

/// Whether a return comes from a drop, a flake or other particles in the air.
inline bool isParticle(const ScanPoint& point) {
  return point.surfel == kNoSurfel && point.semantic_class == map::semantic::kOutlier;
}

/// One shot without a return.
struct ScanMiss {
  Eigen::Vector3f direction;  ///< unit, in the sensor frame
  float time;                 ///< [s] since the scan's stamp
  std::uint32_t shot;         ///< as ScanPoint::shot
  std::uint32_t column;       ///< as ScanPoint::column
  std::uint16_t ring;
  std::uint8_t line;
  bool too_near;  ///< the first surface is nearer than the sensor's least range
};

/// The returns of one scan. A shot may have several: these follow one another, the nearest first.
struct Scan {
  TimeNs stamp = 0;               ///< first firing
  TimeNs end = 0;                 ///< end of the scan's interval
  Pose X_WS;                      ///< true sensor in world at `stamp`
  std::vector<ScanPoint> points;  ///< in firing order
  std::vector<ScanMiss> misses;   ///< in firing order; filled on request (Lidar::keepMisses)
  std::size_t rays = 0;           ///< shots made inside the field of view
  std::size_t too_near = 0;       ///< of these, met a surface nearer than range_min first
  std::size_t too_dark = 0;       ///< of these, met a surface too far for its reflectivity
  std::uint32_t columns = 0;      ///< firing columns of the interval
  std::uint16_t rings = 0;        ///< of the pattern
};

/// Shots of a scan that have a return or several.
inline std::size_t shotsReturned(const Scan& scan) {
  const auto returned =
      std::count_if(scan.points.begin(), scan.points.end(),
                    [](const ScanPoint& point) { return point.return_number == 1; });
  return static_cast<std::size_t>(returned);
}

/// Whether nearly all shots that met a surface are lost to its low reflectivity.
inline bool nearlyAllTooDark(std::size_t returned, std::size_t too_dark) {
  return too_dark > 9 * returned;
}

}  // namespace marsim::lidar
