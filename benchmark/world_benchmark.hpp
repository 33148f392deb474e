// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace marsim::benchmarks {

/// Costs of a shared world: collision checks, moving objects in scans, memory of a second process,
/// number of UAVs in real time.
struct WorldBench {
  std::string program;         ///< this program, which measures starts
  std::filesystem::path work;  ///< folder for clouds and maps
  std::filesystem::path out;   ///< JSON file; empty: none
  bool quick = false;          ///< fewer repeats; UAVs without ROS only
  int uavs = 20;               ///< in one nodelet manager
  double duration = 60.0;      ///< [s] simulated for those
};

/// Prints the figures, and writes them to `out`: `collision_check_us_mean` (of a UAV's steps in
/// flight; `collision_full_search_us_mean` at random poses), `moving_tree_rebuild_us`,
/// `render_overhead_100_obstacles_pct` (the worst sensor), `second_process_private_mb`,
/// `real_time_factor_*_uavs_without_lidar`, `uavs_real_time` (null without roslaunch), and the
/// figures behind them. Throws Error, FileError.
void runWorldBench(const WorldBench& bench);

/// Speed of simulating UAVs without LiDAR.
struct FlightSpeed {
  int uavs = 0;
  double factor = 0.0;  ///< simulated seconds a second of processor time
};

/// Measures 1, 5, 10 and 100 UAVs above a building, 1.2 m apart, each flying up and down, without
/// ROS; collisions are on. Throws Error.
std::vector<FlightSpeed> measureFlights(const WorldBench& bench);
/// Prints the speeds.
void runFlightBench(const WorldBench& bench);

}  // namespace marsim::benchmarks
