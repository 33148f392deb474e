#pragma once

#include <string>
#include <vector>

#include <sensor_msgs/LaserScan.h>
#include <sensor_msgs/PointCloud2.h>

#include "marsim/lidar/lidar.hpp"
#include "marsim/map/point_cloud.hpp"
#include "ros/messages/livox_custom_message.hpp"

/// Clouds as messages, byte for byte as the sensors' drivers lay them out; little endian.
namespace marsim::ros_nodes {

/// What a sensor's pattern means to the layout `ouster`.
struct OusterImage {
  std::vector<std::uint32_t> row_shift;  ///< by ring: columns a row moves right
  double lens_radius = 0.0;              ///< [m] which ranges count, too
};

/// Turns scans into the messages of one output.
///
/// Unorganised clouds are in firing order, so that the last point has the largest time; organised
/// ones row by row (ouster: top beam first, columns destaggered as its driver does; organised: row
/// i is ring i, columns in firing order). Several returns of a shot follow one another, or stand as
/// the driver has them: twice each block of 32 shots (velodyne, hesai, rslidar), in points of one
/// time (livox), in a second cloud (ouster). Where a float in a field has a unit, it is metres or
/// seconds unless the layout says otherwise.
class CloudEncoder {
 public:
  /// `frame` is used where the output names none. `config`: of the LiDAR, whose returns the layout
  /// has room for.
  CloudEncoder(lidar::OutputConfig output, const lidar::LidarConfig& config, std::string frame);

  /// How many clouds a scan makes: of ouster as many as a shot has returns.
  int clouds() const;
  /// One of them. Any layout but the two of CustomMsg and laser_scan (Error).
  sensor_msgs::PointCloud2 cloud(const lidar::Scan& scan, int number = 0) const;
  /// The two layouts of CustomMsg only (Error).
  LivoxCustomMessage custom(const lidar::Scan& scan) const;
  /// The layout laser_scan only (Error): ranges by column, +inf no return, -inf too near (REP-117),
  /// NaN no shot. Of a scan without two shots it has no ranges.
  sensor_msgs::LaserScan laserScan(const lidar::Scan& scan) const;

  /// Whether scans must list their misses (Lidar::keepMisses).
  bool needsMisses() const;
  const lidar::OutputConfig& output() const { return output_; }

 private:
  TimeNs stampOf(const lidar::Scan& scan) const;
  template <class Visit>
  void forEachPoint(const lidar::Scan& scan, Visit visit) const;
  std::size_t countPoints(const lidar::Scan& scan) const;

  lidar::OutputConfig output_;
  int most_returns_;                            ///< of a shot
  double range_min_, range_max_, scan_period_;  ///< [m], [m], [s]
  std::string frame_;
  lidar::MissEncoding misses_;  ///< never kDriver
  OusterImage ouster_;
};

/// Returns in the world frame: x y z intensity float32, 16 bytes a point; stamped with the first
/// firing.
sensor_msgs::PointCloud2 worldCloud(const lidar::Scan& scan, const std::string& frame);

/// Points of a map: x y z float32, 12 bytes a point.
sensor_msgs::PointCloud2 mapCloud(const map::PointCloud& cloud, const std::string& frame);

}  // namespace marsim::ros_nodes
