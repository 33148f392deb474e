// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <vector>

#include "marsim/common/units.hpp"
#include "marsim/lidar/lidar.hpp"

namespace marsim::config {

using lidar::Firing;
using lidar::LidarConfig;

/// The shots of a sensor with begin <= stamp < end.
inline std::vector<Firing> fired(const LidarConfig& config, TimeNs begin, TimeNs end) {
  std::vector<Firing> firings;
  lidar::makePattern(config.pattern)->fire(begin, end, firings);
  return firings;
}

/// [deg] in the sensor frame.
inline double azimuthOf(const Firing& firing) {
  return degrees(std::atan2(firing.direction.y(), firing.direction.x()));
}
inline double elevationOf(const Firing& firing) { return degrees(std::asin(firing.direction.z())); }

}  // namespace marsim::config
