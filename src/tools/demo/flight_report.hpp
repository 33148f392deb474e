#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/collision/clearance.hpp"

namespace marsim::tools {

/// One odometry step of a recorded flight.
struct TrajectoryRow {
  double stamp = 0.0;    ///< [s] simulated
  Eigen::Vector3d p_WB;  ///< [m]
};

/// Reads a recorder's trajectory.csv (columns by their names: stamp, x, y, z and others). A last
/// line that was cut off is left out. Throws FileError.
std::vector<TrajectoryRow> readTrajectory(const std::filesystem::path& path);

/// How near a flight came to the map.
struct Contacts {
  int episodes = 0;             ///< separate contacts of the vehicle's sphere with map points
  double min_clearance = 0.0;   ///< [m] least distance of the vehicle's centre from a map point
  TrajectoryRow closest;        ///< where that was
  TrajectoryRow first_contact;  ///< of the first episode, if any
};

/// Compares every row with the map: a contact begins where a point lies inside the sphere of
/// `radius` [m] and ends where none lies within radius + 2 cm, so that one touch counts once.
Contacts findContacts(const collision::ClearanceMap& map,
                      const std::vector<TrajectoryRow>& trajectory, double radius);

/// The recorder's summary in flight.json.
struct FlightRecord {
  int goals = 0;
  int goals_reached = 0;
  double rms_tracking_error = 0.0;  ///< [m]
  std::size_t scans = 0;
  double points_per_scan_mean = 0.0;
  double render_ms_mean = 0.0;  ///< [ms] a scan
  double real_time_factor = 0.0;
  double simulated = 0.0;            ///< [s]
  std::size_t contacts = 0;          ///< that the simulation reported, with map, obstacles, UAVs
  double worst_contact_speed = 0.0;  ///< [m/s] the largest at which one began
  Eigen::Vector3d scan_origin = Eigen::Vector3d::Zero();  ///< [m] in W, of scan.pcd
  bool completed = false;                                 ///< the recorder ended by itself
};
FlightRecord readFlightRecord(const std::filesystem::path& path);

/// Record and contacts of a flight, with what is needed to judge them.
struct FlightSummary {
  FlightRecord record;
  Contacts contacts;
  double vehicle_radius = 0.0;  ///< [m]
  bool interrupted = false;     ///< by the user

  /// Why the flight does not count as a success, one line each; empty where it does.
  std::vector<std::string> failures() const;
  /// For people, several lines.
  std::string text() const;
  /// Writes summary.json. Throws FileError.
  void write(const std::filesystem::path& path) const;
};

}  // namespace marsim::tools
