// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "marsim/map/surfel_map.hpp"

namespace marsim::benchmarks {

/// UAVs that see and hit each other in one simulation without ROS, dynamics at 1 kHz, each with a
/// LiDAR whose scans use all cores, or without one.
struct SwarmLoad {
  std::shared_ptr<const map::SurfelMap> map;
  std::string vehicle = "hummingbird", lidar = "mid360", formation = "grid";
  double seconds = 5.0;    ///< simulated
  bool has_lidars = true;  ///< false: they fly up and down above the map, on one core

  struct Figures {
    int uavs = 0;
    std::uint64_t scans = 0;
    double real_time_factor = 0.0;
    double cpu_s_per_simulated_s = 0.0;
  };
  Figures measure(int uavs) const;
  /// Most UAVs found that keep up with the wall clock; 0 if one UAV does not.
  Figures mostInRealTime() const;
};

}  // namespace marsim::benchmarks
