// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/cloud_message.hpp"

#include <utility>

#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {

sensor_msgs::PointCloud2 toMessage(layouts::Cloud cloud) {
  sensor_msgs::PointCloud2 message;
  message.header = toHeader(cloud.stamp, cloud.frame_id);
  message.height = cloud.height;
  message.width = cloud.width;
  message.point_step = cloud.point_step;
  message.row_step = cloud.row_step;
  message.is_bigendian = 0;
  message.is_dense = cloud.is_dense ? 1 : 0;
  for (const layouts::CloudField& field : cloud.fields) {
    sensor_msgs::PointField& added = message.fields.emplace_back();
    added.name = field.name;
    added.datatype = field.datatype;
    added.offset = field.offset;
    added.count = 1;
  }
  message.data = std::move(cloud.data);
  return message;
}

sensor_msgs::LaserScan toMessage(layouts::PlanarScan scan) {
  sensor_msgs::LaserScan message;
  message.header = toHeader(scan.stamp, scan.frame_id);
  message.angle_min = scan.angle_min;
  message.angle_max = scan.angle_max;
  message.angle_increment = scan.angle_increment;
  message.time_increment = scan.time_increment;
  message.scan_time = scan.scan_time;
  message.range_min = scan.range_min;
  message.range_max = scan.range_max;
  message.ranges = std::move(scan.ranges);
  message.intensities = std::move(scan.intensities);
  return message;
}

LivoxCustomMessage toMessage(layouts::LivoxCloud cloud) {
  LivoxCustomMessage message;
  message.header = toHeader(cloud.stamp, cloud.frame_id);
  message.timebase = message.header.stamp.toNSec();
  message.point_num = static_cast<std::uint32_t>(cloud.points.size());
  message.points = std::move(cloud.points);
  message.driver2 = cloud.driver2;
  return message;
}

}  // namespace marsim::ros_nodes
