// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "layouts/cloud_fields.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/map/point_cloud.hpp"

/// Contents of messages, byte for byte in the layouts of the sensors' drivers; no ROS.
namespace marsim::layouts {

/// One point of a Livox CustomMsg; 19 bytes when serialised.
struct LivoxPoint {
  std::uint32_t offset_time = 0;       ///< [ns] since the cloud's stamp
  float x = 0.0F, y = 0.0F, z = 0.0F;  ///< [m]
  std::uint8_t reflectivity = 0;       ///< 0 to 255
  std::uint8_t tag = 0, line = 0;
};

/// The contents of a CustomMsg of livox_ros_driver or livox_ros_driver2.
struct LivoxCloud {
  TimeNs stamp = 0;
  std::string frame_id;
  bool driver2 = false;  ///< the message has livox_ros_driver2's type name
  std::vector<LivoxPoint> points;
};

/// The contents of a sensor_msgs/LaserScan.
struct PlanarScan {
  TimeNs stamp = 0;
  std::string frame_id;
  float angle_min = 0.0F, angle_max = 0.0F, angle_increment = 0.0F;  ///< [rad]
  float time_increment = 0.0F, scan_time = 0.0F;                     ///< [s]
  float range_min = 0.0F, range_max = 0.0F;                          ///< [m]
  std::vector<float> ranges, intensities;
};

using Contents = std::variant<Cloud, LivoxCloud, PlanarScan>;

/// The sensor's geometry that the layout `ouster` needs.
struct OusterImage {
  std::vector<std::uint32_t> row_shift;  ///< by ring: columns a row moves right
  double lens_radius = 0.0;              ///< [m] included in ranges
};

/// Turns scans into the messages' contents of one output.
///
/// Unorganised clouds are in firing order, so that the last point has the largest time; organised
/// ones row by row (ouster: top beam first, columns destaggered as its driver does; organised: row
/// i is ring i, columns in firing order). Several returns of a shot follow one another, or stand as
/// the driver has them: twice each block of 32 shots (velodyne, hesai, rslidar), in points of one
/// time (livox), in a second cloud (ouster). Where a float in a field has a unit, it is metres or
/// seconds unless the layout says otherwise.
class CloudEncoder {
 public:
  /// `frame` is used if the output names none. `config`: the LiDAR's; the layout has room for its
  /// returns. `epoch` is added to points' times of day; the contents' stamps are the scan's.
  CloudEncoder(lidar::OutputConfig output, const lidar::LidarConfig& config, std::string frame,
               TimeNs epoch = 0);

  /// Number of clouds of a scan: for ouster one per return of a shot.
  int clouds() const;
  /// The contents of one of these clouds, by the output's layout. The layout laser_scan has ranges
  /// by column: +inf no return, -inf too near (REP-117), NaN no shot; none for a scan without two
  /// shots.
  Contents encode(const lidar::Scan& scan, int number = 0) const;

  /// Whether scans must list their misses (Lidar::keepMisses).
  bool needsMisses() const;
  const lidar::OutputConfig& output() const { return output_; }

 private:
  Cloud cloud(const lidar::Scan& scan, int number) const;
  LivoxCloud custom(const lidar::Scan& scan) const;
  PlanarScan laserScan(const lidar::Scan& scan) const;
  TimeNs stampOf(const lidar::Scan& scan) const;
  template <class Visit>
  void forEachPoint(const lidar::Scan& scan, Visit visit) const;
  std::size_t countPoints(const lidar::Scan& scan) const;

  lidar::OutputConfig output_;
  TimeNs epoch_;
  int most_returns_;                            ///< of a shot
  double range_min_, range_max_, scan_period_;  ///< [m], [m], [s]
  std::string frame_;
  lidar::MissEncoding misses_;  ///< never kDriver
  OusterImage ouster_;
};

/// Returns in the world frame: x y z intensity float32, 16 bytes a point; stamped with the first
/// firing.
Cloud worldCloud(const lidar::Scan& scan, const std::string& frame);

/// Points of a map: x y z float32, 12 bytes a point.
Cloud mapCloud(const map::PointCloud& cloud, const std::string& frame);

}  // namespace marsim::layouts
