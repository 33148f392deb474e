#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace marsim::benchmarks {

/// What a shared world costs: collision checks, moving objects in scans, memory of a second
/// process, how many UAVs go on in real time.
struct WorldBench {
  std::string program;         ///< this one, which the starts run
  std::filesystem::path work;  ///< clouds and made maps are kept here
  std::filesystem::path out;   ///< JSON file; empty: none
  bool quick = false;          ///< fewer repeats; UAVs without ROS only
  int uavs = 20;               ///< in one nodelet manager
  double duration = 60.0;      ///< [s] simulated, of those
};

/// Prints the figures, and writes them to `out`: `collision_check_us_mean` (of a UAV's steps in
/// flight; `collision_full_search_us_mean` at random poses), `moving_tree_rebuild_us`,
/// `render_overhead_100_obstacles_pct` (the worst sensor), `second_process_private_mb`,
/// `real_time_factor_*_uavs_without_lidar`, `uavs_real_time` (null where there is no roslaunch),
/// and what they come from. Throws Error, FileError.
void runWorldBench(const WorldBench& bench);

/// How fast UAVs without LiDAR fly.
struct FlightSpeed {
  int uavs = 0;
  double factor = 0.0;  ///< simulated seconds a second of processor time
};

/// Of 1, 5, 10 and 100 UAVs above a building, 1.2 m apart, each flying up and down, without ROS;
/// collisions are on. Throws Error.
std::vector<FlightSpeed> measureFlights(const WorldBench& bench);
/// Prints them.
void runFlightBench(const WorldBench& bench);

}  // namespace marsim::benchmarks
