// SPDX-License-Identifier: BSD-3-Clause
#include "layouts/cloud_fields.hpp"

#include <map>

#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim::layouts {
namespace {

using lidar::CloudLayout;

const std::map<CloudLayout, CloudFields>& table() {
  static const std::map<CloudLayout, CloudFields> layouts = {
      // pcl::PointXYZI: four bytes behind z hold 1, the rest of the struct's 32 bytes is padding.
      {CloudLayout::kXyzi, xyzAnd(32, {{"intensity", kF32, 16}})},
      {CloudLayout::kXyzit, xyzAnd(20, {{"intensity", kF32, 12}, {"time", kF32, 16}})},
      {CloudLayout::kLabelled, xyzAnd(28, {{"intensity", kF32, 12},
                                           {"time", kF32, 16},
                                           {"label", kU32, 20},
                                           {"class", kU16, 24},
                                           {"return_number", kU8, 26},
                                           {"return_count", kU8, 27}})},
      {CloudLayout::kOrganised,
       xyzAnd(
           28,
           {{"intensity", kF32, 12}, {"ring", kU16, 16}, {"time", kF32, 20}, {"range", kF32, 24}},
           false)},
      // ros-drivers/velodyne, velodyne_pointcloud, PointcloudXYZIRT: packed, time is unaligned.
      {CloudLayout::kVelodyne,
       xyzAnd(22, {{"intensity", kF32, 12}, {"ring", kU16, 16}, {"time", kF32, 18}})},
      // ouster-lidar/ouster-ros, os_point.h, as PCL writes the struct.
      {CloudLayout::kOuster, xyzAnd(48, {{"intensity", kF32, 16},
                                         {"t", kU32, 20},
                                         {"reflectivity", kU16, 24},
                                         {"ring", kU16, 26},
                                         {"ambient", kU16, 28},
                                         {"range", kU32, 32}})},
      // Livox-SDK/livox_ros_driver, lddc.cpp, xfer_format 0.
      {CloudLayout::kLivox,
       xyzAnd(18, {{"intensity", kF32, 12}, {"tag", kU8, 16}, {"line", kU8, 17}})},
      // Livox-SDK/livox_ros_driver2, lddc.cpp, xfer_format 0.
      {CloudLayout::kLivox2, xyzAnd(26, {{"intensity", kF32, 12},
                                         {"tag", kU8, 16},
                                         {"line", kU8, 17},
                                         {"timestamp", kF64, 18}})},
      // HesaiTechnology/HesaiLidar_ROS_2.0, source_driver_ros1.hpp.
      {CloudLayout::kHesai,
       xyzAnd(26, {{"intensity", kF32, 12}, {"ring", kU16, 16}, {"timestamp", kF64, 18}}, false)},
      // RoboSense-LiDAR/rslidar_sdk, POINT_TYPE_XYZIRT.
      {CloudLayout::kRslidar,
       xyzAnd(26, {{"intensity", kF32, 12}, {"ring", kU16, 16}, {"timestamp", kF64, 18}})},
  };
  return layouts;
}

}  // namespace

CloudFields xyzAnd(std::uint32_t point_step, const std::vector<CloudField>& more, bool is_dense) {
  CloudFields layout{point_step, {{"x", kF32, 0}, {"y", kF32, 4}, {"z", kF32, 8}}, is_dense};
  layout.fields.insert(layout.fields.end(), more.begin(), more.end());
  return layout;
}

const CloudFields& fieldsOf(CloudLayout layout) {
  const auto found = table().find(layout);
  if (found == table().end()) {
    throw Error(fmt::format("{} is no PointCloud2", lidar::nameOf(layout)));
  }
  return found->second;
}

Cloud makeCloud(const CloudFields& fields, std::size_t width, std::size_t height,
                const std::string& frame) {
  Cloud cloud;
  cloud.frame_id = frame;
  cloud.height = static_cast<std::uint32_t>(height);
  cloud.width = static_cast<std::uint32_t>(width);
  cloud.point_step = fields.point_step;
  cloud.row_step = fields.point_step * cloud.width;
  cloud.fields = fields.fields;
  cloud.is_dense = fields.is_dense;
  cloud.data.resize(std::size_t{cloud.row_step} * height);
  return cloud;
}

}  // namespace marsim::layouts
