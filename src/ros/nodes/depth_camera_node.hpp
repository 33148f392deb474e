// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <ros/ros.h>
#include <tf2_ros/static_transform_broadcaster.h>

#include "marsim/sim/depth_sensor.hpp"
#include "ros/messages/frames.hpp"
#include "ros/uav/rendered_sensor.hpp"

namespace marsim::ros_nodes {

/// Depth camera of one UAV: publishes the images of a sim::DepthSensor, rendered in a thread of its
/// own (RenderedSensor).
///
/// Out: `depth/image_rect_raw` (sensor_msgs/Image), `depth/camera_info` (sensor_msgs/CameraInfo),
/// `depth/camera_pose` (geometry_msgs/PoseStamped: the optical frame, z forward, in the world), all
/// of one stamp; static tf to the optical frame. Nothing is rendered while nobody subscribes to the
/// image. Parameters: depth (a name of config/depth or a file), seed, world_frame, frame_prefix,
/// depth_frame_id; those of RenderedSensor.
class DepthCameraNode {
 public:
  DepthCameraNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  void take(const sim::VehicleReport& report);
  void render(const sim::DepthSensor::Instant& instant, const RenderedSensor::ObjectsOf& objects);
  bool wanted() const;

  Frames frames_;
  std::string frame_;
  std::unique_ptr<sim::DepthSensor> sensor_;

  ros::Publisher image_publisher_, info_publisher_, pose_publisher_;
  tf2_ros::StaticTransformBroadcaster static_tf_;
  std::atomic<std::uint64_t> images_{0};
  std::unique_ptr<RenderedSensor> rendered_;
};

}  // namespace marsim::ros_nodes
