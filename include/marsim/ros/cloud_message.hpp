#pragma once

#include <string>

#include <sensor_msgs/PointCloud2.h>

#include "marsim/lidar/lidar.hpp"
#include "marsim/map/point_cloud.hpp"

/// PointCloud2 messages, byte for byte as the sensors' drivers lay them out. Unorganised, in firing
/// order, little endian, is_dense.
namespace marsim::ros_nodes {

/// Returns in the sensor frame in the sensor's own layout:
/// - kVelodyne (velodyne_pointcloud's XYZIRT): x y z intensity float32 at 0 4 8 12, ring uint16 at
/// 16,
///   time float32 at 18 [s since header.stamp]; 22 bytes a point;
/// - kXyzit: x y z intensity time float32 at 0 4 8 12 16; 20 bytes a point.
/// header.stamp is the scan's first firing.
sensor_msgs::PointCloud2 sensorCloud(const lidar::Scan& scan, lidar::CloudLayout layout,
                                     const std::string& frame);

/// Returns in the world frame: x y z intensity float32, 16 bytes a point.
sensor_msgs::PointCloud2 worldCloud(const lidar::Scan& scan, const std::string& frame);

/// Points of a map: x y z float32, 12 bytes a point.
sensor_msgs::PointCloud2 mapCloud(const map::PointCloud& cloud, const std::string& frame);

}  // namespace marsim::ros_nodes
