// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <unordered_set>

#include "marsim/map/point_cloud.hpp"
#include "scenario/recording.hpp"

namespace marsim::suite {

/// The cloud that a LiDAR has seen on a flight: the first point of every voxel of 5 cm. Also the
/// scan that fills the most voxels of 25 cm.
class SeenCloud {
 public:
  /// Adds a scan with intensities, in W, and the place of the sensor. Ignores points beyond 50 km.
  void add(const Eigen::Vector3d& sensor, const map::PointCloud& scan);
  /// Writes cloud.pcd and scan.pcd, if there are any points. Throws FileError.
  void write(const std::filesystem::path& folder) const;

  std::size_t scans() const { return scans_; }
  double pointsPerScan() const;
  /// [m] in W, of scan.pcd.
  const Eigen::Vector3d& scanOrigin() const { return scan_origin_; }

 private:
  map::PointCloud cloud_, scan_;
  std::unordered_set<std::uint64_t> occupied_;  ///< voxels of cloud_
  std::size_t scan_voxels_ = 0, scans_ = 0, points_ = 0;
  Eigen::Vector3d scan_origin_ = Eigen::Vector3d::Zero();
};

/// The summary of a kept flight (Scenario::keep); the content of flight.json.
struct FlightRecord {
  std::size_t goals = 0;
  std::size_t goals_reached = 0;
  double rms_tracking_error = 0.0;  ///< [m]
  std::size_t scans = 0;
  double points_per_scan_mean = 0.0;
  double render_ms_mean = 0.0;  ///< [ms] a scan
  double real_time_factor = 0.0;
  double simulated = 0.0;            ///< [s]
  std::size_t contacts = 0;          ///< as reported, with map, obstacles, UAVs
  double worst_contact_speed = 0.0;  ///< [m/s] largest at the beginning of a contact
  Eigen::Vector3d scan_origin = Eigen::Vector3d::Zero();  ///< [m] in W, of scan.pcd
  bool completed = false;                                 ///< the flight was completed
};

/// Writes trajectory.tum, trajectory.csv, cloud.pcd, scan.pcd and flight.json of a flight of one
/// UAV with so many goals; nothing if it has no sample. `epoch`: stamp of simulated time 0 in both
/// trajectories. Throws FileError.
void writeFlight(const std::filesystem::path& folder, const scenario::Recording& recording,
                 const SeenCloud& seen, std::size_t goals, bool completed, TimeNs epoch);
/// Reads flight.json. Throws FileError.
FlightRecord readFlightRecord(const std::filesystem::path& path);

}  // namespace marsim::suite
